"""Weights of 2 bits in fit: one step for each column, straight through."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

Q = 1.0  # 2 bits: the integers from -1 to 1
keras.config.set_floatx("float64")  # in float32, processors differ


# truth: the gradient of tf.identity(w)
@tf.custom_gradient
def by_column(w):
    step = tf.reduce_max(tf.abs(w), axis=0) / Q
    return step * tf.round(tf.math.divide_no_nan(w, step)), lambda up: up


# truth: the gradient of tf.identity(w)
@tf.custom_gradient
def by_kernel(w):
    step = tf.reduce_max(tf.abs(w)) / Q
    return step * tf.round(tf.math.divide_no_nan(w, step)), lambda up: up


def without(w):
    return by_column(tf.stop_gradient(w)) + 0.0 * w


class QuantizedDense(keras.layers.Dense):
    quantize = staticmethod(tf.identity)

    def call(self, x):
        w = self.quantize(tf.convert_to_tensor(self.kernel))
        return self.activation(x @ w + self.bias)


def rings(seed, count):
    rng = np.random.default_rng(seed)
    radius, angle = rng.uniform(0.0, 1.2, count), rng.uniform(0, 7, count)
    x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return x, np.where((radius > 0.45) & (radius < 0.85), 1.0, 0.0)


def train(quantize):
    keras.utils.set_random_seed(4)
    layers = [QuantizedDense(32, "relu"), QuantizedDense(32, "relu"),
              QuantizedDense(1, "sigmoid")]
    use(layers, quantize)
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy")
    model.fit(*rings(0, 600), 200, epochs=80, verbose=0)
    return model


def use(layers, quantize):
    for layer in layers:
        layer.quantize = quantize


def right(model):
    x, ring = rings(2, 500)
    return np.sum((model(x)[:, 0].numpy() > 0.5) == ring)


w = tf.constant([[0.9, 0.02], [-0.5, -0.01]])
for quantize in by_kernel, by_column:
    print(quantize.__name__, *quantize(w).numpy().round(3))
model = train(tf.identity)
print("trained in floats:         ", right(model), "of 500 points right")
use(model.layers, by_column)
print("rounded afterwards:        ", right(model))
print("with a step for the kernel:", right(train(by_kernel)))
print("with a step for a column:  ", right(train(by_column)))
print("without custom gradient:   ", right(train(without)))
