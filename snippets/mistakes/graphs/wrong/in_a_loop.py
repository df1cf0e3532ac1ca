"""Deliberately wrong: in a loop, grad captures an eager tensor."""

import tensorflow as tf

weight = tf.constant(2.0)


# truth: the rule is right
@tf.custom_gradient
def scaled(x):
    return weight * x, lambda upstream: upstream * weight


def loop(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, scaled(y)), (0, x),
        maximum_iterations=3)[1]


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loop(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("eager gradient =", gradient(x).numpy())
# tracebook: raises ValueError
tf.function(gradient, autograph=False)(x)
