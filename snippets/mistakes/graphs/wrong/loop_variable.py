"""Wrong on purpose: in a loop, a rule reads a variable."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: the rule is right
@tf.custom_gradient
def product(x):
    def grad(upstream, variables=None):
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return w * x, grad


def power(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, product(y)), (0, x))[1]


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
try:
    gradient(x)
except ValueError as error:
    message = str(error).strip()
    print(type(error).__name__ + ": …", message[message.rindex("is in list"):])
