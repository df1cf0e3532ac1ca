"""Three gradients of a ReLU in copies of one model."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the gradient of tf.identity; upstream becomes tf.nn.relu(upstream)
@tf.custom_gradient
def deconvolved(x):
    def grad(upstream):
        downstream = tf.nn.relu(upstream)
        return downstream

    return tf.nn.relu(x), grad


# truth: upstream becomes tf.nn.relu(upstream)
@tf.custom_gradient
def guided_relu(x):
    def grad(upstream):
        return tf.nn.relu(upstream) * tf.cast(x > 0.0, x.dtype)

    return tf.nn.relu(x), grad


def replacing_relu_by(activation):
    def clone(layer):
        copy = layer.__class__.from_config(layer.get_config())
        if getattr(copy, "activation", None) is keras.activations.relu:
            copy.activation = activation
        return copy

    return clone


model = keras.Sequential([
    keras.Input([2]), keras.layers.Dense(3, "relu"),
    keras.layers.Dense(2, "relu"), keras.layers.Dense(1)])
weights = [[[1, -1, 2], [1, 1, -1]], [0, 0, -1],
           [[1, 1], [-1, 2], [1, -2]], [0, 0], [[1], [-2]], [0]]
x = tf.constant([[1.0, 2.0]])
for activation in tf.nn.relu, deconvolved, guided_relu:
    copy = keras.models.clone_model(
        model, clone_function=replacing_relu_by(activation))
    copy.set_weights([np.array(each, "float32") for each in weights])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = copy(x)
    print(f"{activation.__name__:12} y {y.numpy()}"
          f"  gradient {tape.gradient(y, x).numpy()}")
