"""A norm with gradient 0 at 0: the root is computed only where it is safe."""

import tensorflow as tf


def norm(x):
    squares = tf.reduce_sum(x * x, axis=1)
    some = squares > 0.0
    return tf.where(some, tf.sqrt(tf.where(some, squares, 1.0)), 0.0)


x = tf.constant([[3.0, 4.0], [0.0, 0.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(norm(x))
gradient = tape.gradient(y, x)
tf.debugging.assert_all_finite(gradient, "gradient")
print("loss", y.numpy())
print(gradient.numpy())
