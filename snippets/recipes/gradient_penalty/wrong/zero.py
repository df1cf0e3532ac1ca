"""Deliberately wrong: the norm of a gradient that is zero."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
critic = keras.Sequential(
    [keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])
points = tf.constant([[1.0, 2.0], [0.0, 0.0]])
critic(points)
critic.layers[0].bias.assign(4 * [-0.1])  # all are off at (0, 0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points)
    norms = tf.norm(tape.gradient(scores, points), axis=1)
    penalty = tf.reduce_mean(tf.square(norms - 1.0))
kernel = critic.layers[1].kernel
print("norms:", norms.numpy())
print("penalty:", penalty.numpy())
print("its gradient:", outer.gradient(penalty, kernel)[:, 0].numpy())
