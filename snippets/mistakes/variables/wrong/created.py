"""Deliberately wrong: the function makes its variable in each call."""

import tensorflow as tf


@tf.custom_gradient
def product(x):
    w = tf.Variable(2.0)

    def grad(upstream, variables):
        return upstream * w, [upstream * x]

    return w * x, grad


def gradients(x):
    with tf.GradientTape() as tape:
        y = product(x)
    variables = tape.watched_variables()
    print("variables:", [v.shape for v in variables])
    return tape.gradient(y, variables)


x = tf.constant(3.0)
print("eager:", *[g.numpy() for g in gradients(x)])
# tracebook: raises ValueError
tf.function(gradients, autograph=False)(x)
