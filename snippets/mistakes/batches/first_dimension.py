"""One gradient of the weights for each example: tape.jacobian."""

import tensorflow as tf

x, W = tf.ones([4, 2]), tf.ones([2, 3])
with tf.GradientTape() as tape:
    tape.watch(W)
    y = x @ W
print(tape.jacobian(y, W).shape, "examples, outputs, and W")
