"""tf.where in the place of a boolean mask."""

import tensorflow as tf


@tf.function(jit_compile=True)
def gradient(x, mask, weights):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.where(mask, x * weights, 0.0))
    return tape.gradient(loss, x)


x = tf.constant([1.0, 2.0, 3.0])
mask = tf.constant([True, False, True])
print(gradient(x, mask, tf.constant([0.5, 1.0, 2.0])).numpy())
