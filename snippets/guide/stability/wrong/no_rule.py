"""Deliberately wrong: only the forward pass is stable; gradients at 0."""

import tensorflow as tf

forms = {
    "max(x, 0) + log1p": lambda x: (
        tf.maximum(x, 0.0) + tf.math.log1p(tf.exp(-tf.abs(x)))),
    "max(0, x) + log1p": lambda x: (
        tf.maximum(0.0, x) + tf.math.log1p(tf.exp(-tf.abs(x)))),
    "relu(x) + log1p": lambda x: (
        tf.nn.relu(x) + tf.math.log1p(tf.exp(-tf.abs(x)))),
    "tf.nn.softplus": tf.nn.softplus}

for name, function in forms.items():
    x = tf.constant([-0.001, 0.0, 0.001])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    slopes = tape.gradient(y, x).numpy()
    print(f"{name:17}", *[f"{slope:8.5f}" for slope in slopes])
