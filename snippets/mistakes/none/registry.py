"""The same value from operations that have gradients."""

import tensorflow as tf


def contrast(x, factor=0.5):
    mean = tf.reduce_mean(x, axis=[-3, -2], keepdims=True)
    return mean + factor * (x - mean)


x = tf.constant([[[1.0], [2.0]], [[3.0], [6.0]]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = contrast(x)
    loss = tf.reduce_sum(y * y)
gap = y - tf.image.adjust_contrast(x, 0.5)
print("values differ by", tf.reduce_max(tf.abs(gap)).numpy())
print("gradient  ", tape.gradient(loss, x).numpy().ravel())
step = 0.5 * tf.reshape(tf.eye(4), [4, 2, 2, 1])
sums = [tf.reduce_sum(contrast(x + s * step) ** 2, axis=[1, 2, 3])
        for s in (1.0, -1.0)]
print("difference", (sums[0] - sums[1]).numpy())
