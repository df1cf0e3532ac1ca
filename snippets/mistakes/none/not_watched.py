"""A constant has a gradient only after tape.watch."""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape(persistent=True) as tape:
    lost = x * x
    tape.watch(x)
    kept = x * x
print("before tape.watch", tape.gradient(lost, x))
print("after tape.watch ", tape.gradient(kept, x).numpy())
