"""Deliberately wrong: a fully masked row that is removed too late."""

import tensorflow as tf

inf = float("inf")
scores = tf.constant([[1.0, 2.0], [3.0, 4.0]])
mask = tf.constant([[True, True], [False, False]])
any_left = tf.reduce_any(mask, axis=1)


def too_late(scores):
    masked = scores + tf.where(mask, 0.0, -inf)
    return tf.where(any_left, tf.reduce_logsumexp(masked, axis=1), 0.0)


def in_time(scores):
    keep = mask | ~any_left[:, tf.newaxis]
    masked = scores + tf.where(keep, 0.0, -inf)
    return tf.where(any_left, tf.reduce_logsumexp(masked, axis=1), 0.0)


for function in (too_late, in_time):
    with tf.GradientTape() as tape:
        tape.watch(scores)
        y = function(scores)
    dx = tape.gradient(y, scores)
    print(f"{function.__name__:8} y =", *[f"{value:.4f}" for value in y],
          " gradient =", *[f"{value:.4f}" for value in tf.reshape(dx, [-1])])
