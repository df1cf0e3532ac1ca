"""XLA compiles a gradient function that uses TensorFlow's operations."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    return x ** 3, lambda upstream: upstream * 3.0 * x ** 2


@tf.function(jit_compile=True)
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.gradient(y, x)


x = tf.constant(2.0)
print(gradient(x).numpy())
