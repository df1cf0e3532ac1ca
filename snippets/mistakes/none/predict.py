"""Under a tape, call the model."""

import tensorflow as tf
from tensorflow import keras

model = keras.Sequential(
    [keras.Input([1]), keras.layers.Dense(1, kernel_initializer="ones")])
x = tf.constant([[2.0], [3.0]])
with tf.GradientTape() as tape:
    y = model(x, training=False)
    assert tf.is_tensor(y)
    total = tf.reduce_sum(y)
by_weight, by_bias = tape.gradient(total, model.trainable_variables)
print("for the weight", by_weight.numpy().item())
print("for the bias", by_bias.numpy().item())
