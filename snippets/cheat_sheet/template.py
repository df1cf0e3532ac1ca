"""Template: two inputs, one output, and a setting that isn't an input."""

import tensorflow as tf


def weighted(power):  # settings are arguments of the outer function
    # truth: x.shape == y.shape
    @tf.custom_gradient
    def f(x, y):  # inputs: tensors, passed by position
        x, y = tf.identity(x), tf.identity(y)  # copies, needed in tf.cond
        s = tf.sin(x)
        z = s * y**power

        def grad(upstream):  # one upstream gradient for each output
            downstream_x = upstream * tf.cos(x) * y**power
            downstream_y = upstream * s * power * y**(power - 1)
            return downstream_x, downstream_y  # one for each input

        return z, grad

    return f


x, y = tf.constant([0.5, 1.0]), tf.constant([2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = weighted(2)(x, y)

dx, dy = tape.gradient(z, [x, y])
print("dx =", dx.numpy(), " dy =", dy.numpy())
