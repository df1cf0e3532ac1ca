"""Deliberately wrong: the codebook is a tf.Variable."""

import keras
import tensorflow as tf

stop = tf.stop_gradient


class Quantizer(keras.layers.Layer):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def build(self, shape):
        if self.kind == "tf.Variable":
            values = tf.random.stateless_normal([16, shape[-1]], seed=[1, 2])
            self.codebook = tf.Variable(0.05 * values, trainable=True)
        else:
            self.codebook = self.add_weight([16, shape[-1]], "random_normal")

    def call(self, z):
        E = tf.convert_to_tensor(self.codebook)
        d = tf.reduce_sum(E * E, 1) - 2.0 * tf.matmul(z, E, transpose_b=True)
        e = tf.gather(E, tf.argmin(d, -1))
        self.add_loss(tf.reduce_mean((stop(z) - e) ** 2))
        self.add_loss(0.25 * tf.reduce_mean((z - stop(e)) ** 2))
        return stop(e) + (z - stop(z))


x = tf.random.stateless_normal([64, 8], seed=[3, 4])
for kind in "tf.Variable", "add_weight":
    keras.utils.set_random_seed(0)
    layer = Quantizer(kind)
    model = keras.Sequential([
        keras.Input([8]), keras.layers.Dense(4), layer, keras.layers.Dense(8)])
    start = layer.codebook.numpy()
    model.compile(keras.optimizers.Adam(0.01), "mse")
    model.fit(x, x, batch_size=64, epochs=10, verbose=0)
    moved = abs(layer.codebook.numpy() - start).max()
    print(f"{kind:11} weights: {len(model.weights)}, moved by {moved:.2f}")
