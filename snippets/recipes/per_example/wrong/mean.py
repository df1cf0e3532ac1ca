"""Deliberately wrong: means are clipped, not the example's gradient."""

import tensorflow as tf

LIMIT = 1.0
gradients = tf.random.stateless_normal([8, 50], seed=[1, 2])
others = tf.concat([-1000.0 * gradients[:1], gradients[1:]], 0)


def mean(gradients, size):
    means = tf.reduce_mean(tf.reshape(gradients, [-1, size, 50]), 1)
    return tf.reduce_mean(tf.clip_by_norm(means, LIMIT, axes=[1]), 0)


print("how far does another first example move the mean of 8?")
for size in 1, 4, 8:
    moved = tf.norm(mean(others, size) - mean(gradients, size))
    print(f"clipped in microbatches of {size}: {moved:.2f}")
