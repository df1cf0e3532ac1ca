"""The losses keep an axis after the batch axis."""

import tensorflow as tf

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    losses = tf.reduce_sum(x * x, axis=1, keepdims=True)
gradients = tape.batch_jacobian(losses, x)[:, 0]
tf.debugging.assert_equal(gradients, 2.0 * x)
print(gradients.numpy().tolist())
