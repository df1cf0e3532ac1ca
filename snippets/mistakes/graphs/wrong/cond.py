"""Wrong on purpose: a rule in a branch reads a variable."""
# tracebook: raises AttributeError

import tensorflow as tf

w = tf.Variable(2.0)


# truth: the rule is right
@tf.custom_gradient
def product(x):
    def grad(upstream, variables=None):
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return w * x, grad


def branch(x):
    return tf.cond(x > 0.0, lambda: product(x), lambda: x)


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = branch(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
gradient(x)
