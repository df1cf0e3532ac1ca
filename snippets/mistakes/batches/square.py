"""batch_jacobian computes only the blocks on the diagonal."""

import tensorflow as tf

x = tf.random.stateless_normal([50, 3], [1, 2])
w = tf.random.stateless_normal([3, 2], [3, 4])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = tf.tanh(x @ w)
blocks = tape.batch_jacobian(y, x)
print(blocks.shape, "numbers", tf.size(blocks).numpy())
whole = tape.jacobian(y, x)
each = tf.range(50)
diagonal = tf.gather_nd(tf.transpose(whole, [0, 2, 1, 3]),
                        tf.stack([each, each], 1))
error = tf.reduce_max(tf.abs(blocks - diagonal))
print("agrees with the whole Jacobian:", error.numpy() < 1e-6)
