"""Solve -u'' = pi^2 sin(pi x), u(0) = u(1) = 0: in a loop, and in fit."""

import keras
import numpy as np
import tensorflow as tf


def value_and_derivatives(network, x):
    """u, u' and u'' at each of the points in a column."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            u = network(x, training=True)
        first = inner.gradient(u, x)
    return u, first, outer.gradient(first, x)


class Solution(keras.Model):
    """u(x) = x (1 - x) network(x), which is 0 at both ends."""

    def __init__(self):
        super().__init__()
        layers = keras.layers
        self.network = keras.Sequential(
            [layers.Dense(20, "tanh"), layers.Dense(20, "tanh"),
             layers.Dense(1)])

    def call(self, x, training=False):
        return x * (1.0 - x) * self.network(x, training=training)

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        _, _, second = value_and_derivatives(self, x)
        return tf.reduce_mean(tf.square(second + y))


@tf.function
def step(model, optimizer, x, f):
    with tf.GradientTape() as tape:
        loss = model.compute_loss(x, f)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def report(name, model):
    error = tf.reduce_max(tf.abs(model(x) - tf.sin(np.pi * x)))
    print(f"{name}: largest error {error:.4f}")


x = tf.reshape(tf.linspace(0.0, 1.0, 64), [64, 1])
f = np.pi**2 * tf.sin(np.pi * x)
for way in "loop", "fit":
    keras.utils.set_random_seed(0)
    model, optimizer = Solution(), keras.optimizers.Adam(0.02)
    report(f"before {way}", model)
    if way == "loop":
        for _ in range(300):
            step(model, optimizer, x, f)
    else:
        model.compile(optimizer)
        epochs = [tf.tile(each, [300, 1]) for each in (x, f)]
        model.fit(*epochs, batch_size=64, shuffle=False, verbose=0)
    report(f"after {way}", model)
