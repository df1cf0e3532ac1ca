"""Deliberately wrong: two coefficients of a rotation, NaN at 0."""

import tensorflow as tf

theta = tf.constant([0.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(theta)
    a = tf.where(theta == 0.0, 1.0, tf.sin(theta) / theta)
    b = tf.where(theta == 0.0, 0.5, (1.0 - tf.cos(theta)) / theta**2)
    loss = a + b

print("a", a.numpy(), " b", b.numpy())
print("gradient", tape.gradient(loss, theta).numpy())
