"""Guided ReLU in a copy of a model: no negative gradient is passed on."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes tf.nn.relu(upstream)
@tf.custom_gradient
def guided_relu(x):
    def grad(upstream):
        local = tf.cast(x > 0.0, x.dtype)
        downstream = tf.nn.relu(upstream) * local
        tf.print("  x", x, " upstream", upstream, " local", local,
                 " downstream", downstream)
        return downstream

    return tf.nn.relu(x), grad


def guided(layer):
    copy = layer.__class__.from_config(layer.get_config())
    if getattr(copy, "activation", None) is keras.activations.relu:
        copy.activation = guided_relu
    return copy


def saliency(model, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model(x)
    return y.numpy(), tape.gradient(y, x).numpy()


model = keras.Sequential([
    keras.Input([2]), keras.layers.Dense(3, "relu"),
    keras.layers.Dense(2, "relu"), keras.layers.Dense(1)])
weights = [[[1, -1, 2], [1, 1, -1]], [0, 0, -1],
           [[1, 1], [-1, 2], [1, -2]], [0, 0], [[1], [-2]], [0]]
model.set_weights([np.array(each, "float32") for each in weights])
copy = keras.models.clone_model(model, clone_function=guided)
copy.set_weights(model.get_weights())

x = tf.constant([[1.0, 2.0]])
for name, each in ("model", model), ("copy", copy):
    print(name)
    y, gradient = saliency(each, x)
    print("  y", y, " gradient", gradient)
