"""The values of SHAP's two explainers for gradients, without SHAP."""

import keras
import numpy as np
import tensorflow as tf


def slope(f, z, least=1e-3):
    """The slope of f between x and the background, the halves of z."""
    x, background = tf.split(z, 2)
    change = x - background
    change = tf.where(tf.abs(change) < least, least, change)
    return tf.tile((f(background + change) - f(background)) / change, [2, 1])


def rescaled(f):
    # truth: the gradient of tf.stop_gradient(slope(f, z)) * z
    # truth: z.shape == [40, 8]; first derivative only
    @tf.custom_gradient
    def apply(z):
        return f(z), lambda upstream: upstream * slope(f, z)

    return apply


def halves(x, background):
    return tf.concat([tf.repeat(x, len(background), 0), background], 0)


def deep(model, x, background):
    """DeepExplainer: f's slopes, or custom gradients at the background."""
    both = halves(x, background)
    with tf.GradientTape() as tape:
        tape.watch(both)
        score = model(both, training=False)
    slopes = tape.gradient(score, both)[len(background):]
    return tf.reduce_mean(slopes * (x - background), 0)


def expected_gradients(model, x, background, steps=64):
    """GradientExplainer's mean, without its random points."""
    total = tf.zeros_like(background)
    for t in (np.arange(steps, dtype="float32") + 0.5) / steps:
        point = background + t * (x - background)
        with tf.GradientTape() as tape:
            tape.watch(point)
            score = model(point, training=False)
        total += tape.gradient(score, point)
    return tf.reduce_mean((x - background) * total / steps, 0)


def straight_through(z):
    return z + tf.stop_gradient(tf.round(z) - z)


x = tf.random.stateless_normal([1, 4], seed=[1, 2])
background = tf.random.stateless_normal([20, 4], seed=[3, 4])
both, one = (deep, expected_gradients), (deep,)
for name, activation, methods in [
        ("gelu", tf.nn.gelu, both), ("round", straight_through, both),
        ("rescaled gelu", rescaled(tf.nn.gelu), one),
        ("rescaled round", rescaled(tf.round), one)]:
    keras.utils.set_random_seed(0)
    model = keras.Sequential([
        keras.Input([4]), keras.layers.Dense(8),
        keras.layers.Activation(activation), keras.layers.Dense(1)])
    of_x, of_background = tf.split(model(halves(x, background)), 2)
    change = tf.reduce_mean(of_x - of_background)
    sums = [f"{f.__name__} {f(model, x, background).numpy().sum():.3f}"
            for f in methods]
    print(f"{name:14} change {change:.3f}, sum of", ", ".join(sums))
