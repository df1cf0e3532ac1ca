"""Deliberately wrong: two calls of tape.gradient on one tape."""
# tracebook: raises RuntimeError

import tensorflow as tf

x = tf.constant(2.0)
y = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = x * y

print("dz/dx =", tape.gradient(z, x).numpy())
print("dz/dy =", tape.gradient(z, y).numpy())
