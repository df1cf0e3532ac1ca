"""XLA before and after the outside call, not around it."""

import numpy as np
import tensorflow as tf


# truth: abs(x) > 0.1; abs(x) < 20; within 1e-3; first derivative only
@tf.custom_gradient
def sinc(x):
    y = tf.numpy_function(np.sinc, [x], x.dtype)
    y.set_shape(x.shape)

    def grad(upstream):
        local = (tf.cos(np.pi * x) - y) / x
        return upstream * local

    return y, grad


@tf.function(jit_compile=True)
def before(x):
    return x * x


@tf.function(jit_compile=True)
def after(y):
    return tf.reduce_sum(y * y)


def plain(z):
    return tf.sin(np.pi * z) / (np.pi * z)


def gradient_of(outside):
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = after(outside(before(x)))
        return tape.gradient(loss, x)

    return gradient


x = tf.constant([0.5, 0.75, 1.25])
print("sinc ", gradient_of(sinc)(x).numpy())
print("plain", gradient_of(plain)(x).numpy())
