"""Deliberately wrong: a gradient of zero moves the weights."""

import keras
import tensorflow as tf

for optimizer in (
    keras.optimizers.SGD(0.1),
    keras.optimizers.SGD(0.1, momentum=0.9),
    keras.optimizers.Adam(0.1),
    keras.optimizers.AdamW(0.1, weight_decay=0.5),
):
    w = tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(2.0), w)])
    before = w.numpy()
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(0.0), w)])
    momentum = " with momentum" * bool(getattr(optimizer, "momentum", 0))
    print(f"{optimizer.name}{momentum}: {before:.4f}, then {w.numpy():.4f}")
