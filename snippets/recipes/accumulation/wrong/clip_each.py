"""Deliberately wrong: each small batch is clipped, not their mean."""

import tensorflow as tf

gradients = tf.constant([[4.0, 0.0], [0.0, 0.4], [0.0, 0.4], [0.0, 0.4]])
mean = tf.reduce_mean(gradients, 0)
each = tf.stack([tf.clip_by_norm(g, 1.0) for g in gradients])
print("mean, clipped:    ", tf.clip_by_norm(mean, 1.0).numpy())
print("clipped, then mean:", tf.reduce_mean(each, 0).numpy())
