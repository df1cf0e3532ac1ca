"""Deliberately wrong: two gradients from one tape."""

import tensorflow as tf

x, y = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as tape:
    z = x * y
print("dz/dx", tape.gradient(z, x).numpy())
# tracebook: raises RuntimeError
print("dz/dy", tape.gradient(z, y).numpy())
