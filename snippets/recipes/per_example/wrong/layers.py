"""Deliberately wrong: layers that differ for a batch of one."""

import keras
import tensorflow as tf


@tf.function
def vectorized(model, x):
    def one(x):
        with tf.GradientTape() as tape:
            loss = model(x[None], training=True)[0, 0]
        return tape.gradient(loss, kernel)

    kernel = model.trainable_variables[0]
    return tf.vectorized_map(one, x)[:, :, 0]


@tf.function
def jacobian(model, x):
    with tf.GradientTape() as tape:
        losses = model(x, training=True)[:, 0]
    return tape.jacobian(losses, model.trainable_variables[0])[:, :, 0]


keras.utils.set_random_seed(3)
x = tf.ones([3, 4])
dropout = keras.Sequential([
    keras.Input([4]), keras.layers.Dropout(0.5), keras.layers.Dense(1)])
print("dropout, vectorized_map:", vectorized(dropout, x).numpy().tolist())
print("dropout, jacobian:      ", jacobian(dropout, x).numpy().tolist())

normalized = keras.Sequential([
    keras.Input([2]), keras.layers.Dense(1),
    keras.layers.BatchNormalization()])
x = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, 2.0]])
other = tf.constant([[1.0, 2.0], [3.0, 1.0], [9.0, 9.0]])
print("the first example's gradient through batch normalization:")
print("vectorized_map:", vectorized(normalized, x)[0].numpy().round(3))
print("jacobian:      ", jacobian(normalized, x)[0].numpy().round(3))
print("jacobian, another last example:",
      jacobian(normalized, other)[0].numpy().round(3))
