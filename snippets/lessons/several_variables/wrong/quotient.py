"""Deliberately wrong: a quotient that is to be 0 where y is 0."""

import tensorflow as tf

x, y = tf.constant([6.0, 6.0]), tf.constant([2.0, 0.0])
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = tf.where(y == 0.0, 0.0, x / y)

print("z", z.numpy())
for name, gradient in zip("xy", tape.gradient(z, [x, y])):
    print("gradient of", name, gradient.numpy())
