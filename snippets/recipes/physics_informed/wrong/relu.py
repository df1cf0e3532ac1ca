"""Deliberately wrong: ReLUs have no second derivative to train with."""

import keras
import tensorflow as tf

x = tf.reshape(tf.linspace(0.0, 1.0, 5), [5, 1])
for activation in "relu", "tanh":
    keras.utils.set_random_seed(0)
    network = keras.Sequential(
        [keras.layers.Dense(8, activation), keras.layers.Dense(1)])
    with tf.GradientTape() as tape:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                u = network(x)
            first = inner.gradient(u, x)
        second = outer.gradient(first, x)
        loss = tf.reduce_mean(tf.square(second + 1.0))
    gradients = [g for g in tape.gradient(loss, network.weights)
                 if g is not None]
    print(activation, "second derivatives", second[:, 0].numpy())
    print("  largest gradient of a weight", max(
        tf.reduce_max(tf.abs(g)).numpy() for g in gradients))
