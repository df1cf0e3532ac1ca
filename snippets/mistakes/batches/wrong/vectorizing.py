"""Deliberately wrong: the Jacobian of a branch in a graph."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.function
def turned(image):
    return tf.image.rot90(image, k=3)


tf.get_logger().setLevel("CRITICAL")  # hides the copy in the log
x = tf.ones([2, 2, 1, 1])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = turned(x)
tape.jacobian(y, x)
