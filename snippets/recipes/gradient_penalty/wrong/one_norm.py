"""Deliberately wrong: one norm for the whole batch."""

import tensorflow as tf

weights = tf.constant([[3.0], [4.0]])


def critic(points):
    return points @ weights


def penalty(points, axis):
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points)
    gradients = tape.gradient(scores, points)
    return tf.reduce_mean((tf.norm(gradients, axis=axis) - 1.0) ** 2)


for examples in 1, 4, 100:
    points = tf.random.stateless_normal([examples, 2], seed=[1, 2])
    one, each = penalty(points, axis=None), penalty(points, axis=1)
    print(f"{examples} examples: one norm {one:.1f}, each {each:.1f}")
