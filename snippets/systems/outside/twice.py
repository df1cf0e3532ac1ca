"""The gradient function calls sinc, so the second derivative is right."""

import numpy as np
import tensorflow as tf


# truth: abs(x) > 0.1; abs(x) < 20; within 1e-3
@tf.custom_gradient
def sinc(x):
    x = tf.identity(x)  # for tapes outside a tf.function
    y = tf.numpy_function(np.sinc, [x], x.dtype)
    y.set_shape(x.shape)

    def grad(upstream):
        local = (tf.cos(np.pi * x) - sinc(x)) / x
        return upstream * local

    return y, grad


def plain(x):
    return tf.sin(np.pi * x) / (np.pi * x)


x = tf.constant([0.25, 0.5, 1.5])
for name, function in ("sinc", sinc), ("right", plain):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        slope = inner.gradient(y, x)
    second = outer.gradient(slope, x)
    print(f"{name:5}: slope", slope.numpy(), " second", second.numpy())
