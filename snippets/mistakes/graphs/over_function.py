"""tf.function is above tf.custom_gradient."""

import tensorflow as tf


@tf.function
@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x * x, grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print(y.numpy(), tape.gradient(y, x).numpy())
