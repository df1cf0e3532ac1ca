"""Deliberately wrong: NaN at an element that the loss doesn't use."""

import tensorflow as tf

x = tf.constant([-0.5, 0.5, 2.0])
used = tf.abs(x) < 1.0
losses = {
    "acos, then slice": lambda x: tf.acos(x)[:2],
    "acos, then mask": lambda x: tf.boolean_mask(tf.acos(x), used),
    "acos, then tf.where": lambda x: tf.where(used, tf.acos(x), 0.0),
    "slice, then acos": lambda x: tf.acos(x[:2]),
    "mask, then acos": lambda x: tf.acos(tf.boolean_mask(x, used)),
    "double tf.where": lambda x: tf.where(
        used, tf.acos(tf.where(used, x, 0.0)), 0.0)}
for name, loss in losses.items():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(loss(x))
    gradient = tape.gradient(y, x)
    print(f"{name:20} loss {y:.4f}  gradient {gradient.numpy()}")
