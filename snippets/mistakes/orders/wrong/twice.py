"""Wrong on purpose: two gradients from one tape."""
# tracebook: raises RuntimeError

import tensorflow as tf

x, y = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = x * y
print("by x:", tape.gradient(z, x).numpy())
print("by y:", tape.gradient(z, y).numpy())
