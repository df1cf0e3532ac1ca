"""Deliberately wrong: the mean over time counts the padded steps."""

import keras
import tensorflow as tf


class Spikes(keras.layers.Layer):
    """An integrator whose spikes are the output."""

    state_size = 1

    def call(self, x, states):
        v = states[0] + x
        s = tf.cast(v > 1.0, v.dtype)
        return s, [v - s]


inputs = keras.Input([None, 1])
spikes = keras.layers.RNN(Spikes(), return_sequences=True)(
    keras.layers.Masking()(inputs))
pooled = keras.layers.GlobalAveragePooling1D()(spikes)
model = keras.Model(inputs, [spikes, pooled])
x = tf.constant([0.7, 0.7, 0.7])[None, :, None]
for padding in 0, 4:
    padded = tf.pad(x, [[0, 0], [0, padding], [0, 0]])
    sequence, mean = model(padded)
    print(f"{padding} padded: spikes {sequence[0, :, 0].numpy()}, mean of all"
          f" {tf.reduce_mean(sequence):.3f}, pooled {mean[0, 0]:.3f}")
