"""A function of NumPy, with a gradient function in TensorFlow."""

import numpy as np
import tensorflow as tf


# truth: abs(x) > 0.1; abs(x) < 20; within 1e-3; first derivative only
@tf.custom_gradient
def sinc(x):
    y = tf.numpy_function(np.sinc, [x], x.dtype)
    y.set_shape(x.shape)

    def grad(upstream):
        local = (tf.cos(np.pi * x) - y) / x
        downstream = upstream * local
        tf.print("grad: upstream =", upstream, " local =", local)
        return downstream

    return y, grad


x = tf.constant([0.25, 0.5, 1.5])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = sinc(x)
    loss = tf.reduce_sum(y * y)
print("y          =", y.numpy())
print("downstream =", tape.gradient(loss, x).numpy())
