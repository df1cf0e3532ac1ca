"""grad takes only upstream, and captures the input."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x**2, grad


x = tf.constant(3.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y, plain = square(x), x**2
print("custom  ", tape.gradient(y, x).numpy())
print("autodiff", tape.gradient(plain, x).numpy())
