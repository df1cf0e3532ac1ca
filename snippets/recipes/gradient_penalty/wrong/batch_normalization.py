"""Deliberately wrong: examples act on the scores of others."""

import keras
import tensorflow as tf

points = tf.random.stateless_normal([4, 2], seed=[1, 2])
for normalization in (
    keras.layers.BatchNormalization(), keras.layers.LayerNormalization()
):
    keras.utils.set_random_seed(0)
    critic = keras.Sequential([
        keras.layers.Dense(8), normalization,
        keras.layers.ReLU(), keras.layers.Dense(1)])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(points)
        scores = critic(points, training=True)[:, 0]
    in_penalty = tape.gradient(scores, points)
    jacobian = tape.jacobian(scores, points)  # all by all
    own = tf.stack([jacobian[i, i] for i in range(4)])
    print(normalization.name)
    print("  norms in the penalty:", tf.norm(in_penalty, axis=1).numpy())
    print("  of each own score:   ", tf.norm(own, axis=1).numpy())
