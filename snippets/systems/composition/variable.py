"""A custom gradient whose function reads a variable."""

import tensorflow as tf

w = tf.Variable([1.5, -0.5, 2.0])


# truth: x.shape == w.shape
@tf.custom_gradient
def rule(x):
    def grad(upstream, variables=None):
        downstream_x, downstream_w = upstream * w, upstream * x
        return downstream_x, [downstream_w]

    return x * w, grad


def meant(x):
    return x * w


inputs, weights = [tf.constant([0.5, -1.0, 2.0])], [w]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    y = rule(*inputs)
downstream_x, downstream_w = tape.gradient(y, inputs + weights)
print("downstream x =", downstream_x.numpy())
print("downstream w =", downstream_w.numpy())
