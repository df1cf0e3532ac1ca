"""keras.remat in a layer that passes its training argument on."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Recomputed(keras.layers.Layer):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def build(self, shape):
        self.layer.build(shape)

    def call(self, x, training=None):
        return keras.remat(
            lambda x: self.layer(x, training=training))(x)


def trained(wrap):
    keras.utils.set_random_seed(0)
    layer = keras.layers.Dense(2, "tanh")
    model = keras.Sequential([keras.Input([2]), wrap(layer)])
    model.compile("sgd", "mse")
    model.fit(np.ones([4, 2]), np.zeros([4, 2]), verbose=0)
    print("trained:", len(model.trainable_variables), "variables")
    return layer.kernel.numpy()


plain, again = trained(lambda layer: layer), trained(Recomputed)
print("kernels differ by", tf.reduce_max(tf.abs(plain - again)).numpy())
