"""Deliberately wrong: batch normalization runs and updates a second time."""

import keras
import tensorflow as tf


def moving_mean(again):
    layer = keras.layers.BatchNormalization(momentum=0.5)
    x = tf.constant([[1.0], [3.0]])
    layer.build(x.shape)

    def normalized(x):
        return layer(x, training=True)

    # truth: the rule is right; x.shape == [2, 1]
    recomputed = tf.recompute_grad(normalized)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = recomputed(x) if again else normalized(x)
    tape.gradient(y, x)
    return layer.moving_mean.numpy()


print("wrong", moving_mean(again=True))
print("right", moving_mean(again=False))
