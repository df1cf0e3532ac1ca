"""Deliberately wrong: TensorFlow's gradient of det at a singular matrix."""
# tracebook: raises InvalidArgumentError

import tensorflow as tf

X = tf.constant([[1.0, 2.0], [2.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(X)
    y = tf.linalg.det(X)

print("det =", abs(y.numpy()))
print("gradient =", tape.gradient(y, X))
