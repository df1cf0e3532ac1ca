"""The variable is read outside, and the rule gets it as an argument."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    return w * x, lambda upstream: (upstream * w, upstream * x)


def power(x):
    value = tf.convert_to_tensor(w)
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, product(y, value)), (0, x))[1]


def gradients(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, [x, w])


x = tf.constant(3.0)
for run in gradients, tf.function(gradients):
    print([float(g) for g in run(power, x)])
print([float(g) for g in gradients(tf.function(power), x)])
print("right", [float(w ** 3), float(3.0 * w ** 2 * x)])
