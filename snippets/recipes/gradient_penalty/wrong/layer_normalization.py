"""Deliberately wrong: a penalty on a critic with layer normalization."""

# tracebook: alone

import keras
import tensorflow as tf

keras.config.set_floatx("float64")
points = tf.random.stateless_normal([8, 3], [1, 2], dtype=tf.float64)
direction = tf.random.stateless_normal([3, 8], [3, 4], dtype=tf.float64)


def gradient_penalty(critic, points):
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points, training=True)
    gradients = tape.gradient(scores, points)
    squares = tf.reduce_sum(tf.square(gradients), axis=1)
    norms = tf.sqrt(tf.maximum(squares, 1e-12))
    return tf.reduce_mean(tf.square(norms - 1.0))


for kind in "LayerNormalization", "RMSNormalization":
    keras.utils.set_random_seed(0)
    layers = keras.layers
    critic = keras.Sequential([
        keras.Input([3]), layers.Dense(8), getattr(layers, kind)(),
        layers.Dense(8, "tanh"), layers.Dense(1)])
    kernel = critic.layers[0].kernel.value
    with tf.GradientTape() as tape:
        penalty = gradient_penalty(critic, points)
    by_tape = tf.reduce_sum(direction * tape.gradient(penalty, kernel))
    start, sides = tf.identity(kernel), []
    for step in -1e-5, 1e-5:
        kernel.assign(start + step * direction)
        sides.append(gradient_penalty(critic, points))
    difference = (sides[1] - sides[0]) / 2e-5
    print(f"{kind:18} tape {by_tape:.4f}  difference {difference:.4f}")
