"""Deliberately wrong: a callback changes a width that is a Python number."""

import keras
import tensorflow as tf


@tf.custom_gradient
def spike(v, width):
    u = (v - 1.0) / width

    def grad(upstream):
        return upstream * tf.sigmoid(u) * tf.sigmoid(-u) / width, None

    return tf.cast(u > 0, v.dtype), grad


class Spike(keras.layers.Layer):
    def build(self, shape):
        self.width = self.add_weight(
            shape=(), initializer="ones", trainable=False)

    def call(self, v):
        return spike(v, tf.convert_to_tensor(self.width))


class Attribute(Spike):
    def build(self, shape):
        self.width = 1.0


class Narrower(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        layer = self.model.layers[-1]
        if isinstance(layer.width, float):
            layer.width = 0.5 ** epoch
        else:
            layer.width.assign(0.5 ** epoch)


x = tf.random.stateless_normal([32, 3], seed=[1, 2])
for layer in Attribute, Spike:
    for callbacks in [], [Narrower()]:
        keras.utils.set_random_seed(0)
        model = keras.Sequential(
            [keras.Input([3]), keras.layers.Dense(2), layer()])
        model.compile(keras.optimizers.SGD(0.1), "mse", jit_compile=False)
        model.fit(x, tf.ones([32, 2]), 32, epochs=4, verbose=0,
                  callbacks=callbacks)
        kernel = model.layers[0].kernel.numpy()
        print(f"{layer.__name__:9} {len(callbacks)} callbacks:"
              f" first weight {kernel[0, 0]:.3f}")
