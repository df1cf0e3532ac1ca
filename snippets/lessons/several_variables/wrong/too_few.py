"""Deliberately wrong: two inputs, and grad returns one gradient."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return upstream * y

    return x * y, grad


x = tf.constant(2.0)
y = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    z = product(x, y)

print("z =", z.numpy())
print("dz/dx =", tape.gradient(z, x).numpy())
