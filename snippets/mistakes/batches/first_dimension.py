"""tape.jacobian returns a gradient for each example and each output."""

import tensorflow as tf

x, W = tf.ones([4, 2]), tf.ones([2, 3])
with tf.GradientTape() as tape:
    tape.watch(W)
    y = x @ W
print("examples, outputs, rows and columns of W:",
      tape.jacobian(y, W).shape)
