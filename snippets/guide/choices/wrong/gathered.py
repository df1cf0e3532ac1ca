"""Deliberately wrong: tf.gather passes no gradient to the index of the row."""

import tensorflow as tf

E = tf.Variable([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0]])
z = tf.Variable([1.5, 0.5])
with tf.GradientTape() as tape:
    q = tf.gather(E, tf.argmin(tf.reduce_sum((E - z) ** 2, 1)))
    L = tf.reduce_sum((q - tf.constant([2.0, 2.0])) ** 2)
for_E, for_z = tape.gradient(L, [E, z])
print("E", tf.convert_to_tensor(for_E).numpy().tolist())
print("z", for_z)
