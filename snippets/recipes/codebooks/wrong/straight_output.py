"""Deliberately wrong: the codebook loss is put on the layer's output."""

import warnings

import keras
import tensorflow as tf

stop = tf.stop_gradient


class Quantizer(keras.layers.Layer):
    def __init__(self, loss_on, frozen=False):
        super().__init__()
        self.loss_on, self.frozen = loss_on, frozen

    def build(self, shape):
        self.codebook = self.add_weight(
            shape=[16, shape[-1]], initializer="random_normal",
            trainable=not self.frozen)

    def call(self, z):
        E = tf.convert_to_tensor(self.codebook)
        d = tf.reduce_sum(E * E, 1) - 2.0 * tf.matmul(z, E, transpose_b=True)
        e = tf.gather(E, tf.argmin(d, -1))
        q = stop(e) + (z - stop(z))
        code = q if self.loss_on == "output" else e
        self.add_loss(tf.reduce_mean((stop(z) - code) ** 2))
        self.add_loss(0.25 * tf.reduce_mean((z - stop(e)) ** 2))
        return q


x = tf.random.stateless_normal([64, 8], seed=[1, 2])
for options in ("output",), ("output", True), ("code",):
    keras.utils.set_random_seed(0)
    layer = Quantizer(*options)
    model = keras.Sequential([
        keras.Input([8]), keras.layers.Dense(4), layer, keras.layers.Dense(8)])
    start = layer.codebook.numpy()
    model.compile(keras.optimizers.Adam(0.01), "mse")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(x, x, batch_size=64, epochs=10, verbose=0)
    moved = abs(layer.codebook.numpy() - start).max()
    name = "loss on " + options[0] + ", frozen" * (len(options) - 1)
    print(f"{name:22} warnings: {len(caught)}, moved by {moved:.2f}")
