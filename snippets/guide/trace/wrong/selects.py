"""Deliberately wrong: gradients that select, in which a NaN is lost."""

import tensorflow as tf

STEPS = {
    "2.0 * x": lambda x: 2.0 * x,
    "tf.where": lambda x: tf.where(x > 2.0, x, 0.0),
    "tf.maximum": lambda x: tf.maximum(x, 2.0),
    "tf.clip_by_value": lambda x: tf.clip_by_value(x, 2.0, 9.0),
    "tf.nn.relu": lambda x: tf.nn.relu(x - 2.0)}

x = tf.constant([1.0, 4.0])
upstream = tf.constant([float("nan"), 1.0])
print(f"{'upstream':16} {upstream.numpy()}")
for name, step in STEPS.items():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = step(x)
    downstream = tape.gradient(y, x, output_gradients=upstream)
    print(f"{name:16} downstream = {downstream.numpy()}")
