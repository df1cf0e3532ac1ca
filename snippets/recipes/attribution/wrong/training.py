"""Deliberately wrong: attribution with training=True."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([3]), keras.layers.Dense(8), keras.layers.BatchNormalization(),
    keras.layers.ReLU(), keras.layers.Dense(1)])
x = tf.random.stateless_normal([4, 3], seed=[1, 2])
norm = model.layers[1]


def saliency(x, training):
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = model(x, training=training)
    return tape.gradient(score, x)[0].numpy().round(2)


for training in True, False:
    print(f"training={training}:")
    print("  first of four", saliency(x, training))
    print("  first of two ", saliency(x[:2], training))
    print("  moving means:", norm.moving_mean[:3].numpy().round(3))
