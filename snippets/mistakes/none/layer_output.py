"""While the model runs, the layer has a call that watches its output."""

from unittest import mock

import tensorflow as tf
from tensorflow import keras


def output_and_gradient(model, layer, x):
    outputs, call = [], layer.call

    def record(*inputs, **options):
        outputs.append(call(*inputs, **options))
        tape.watch(outputs[-1])
        return outputs[-1]

    with tf.GradientTape() as tape:
        with mock.patch.object(layer, "call", record):
            score = model(x)
    [of_layer] = outputs
    return of_layer, tape.gradient(score, of_layer)


def layers():
    return (keras.layers.Dense(2, "relu", kernel_initializer="ones"),
            keras.layers.Dense(1, kernel_initializer="ones"))


hidden, last = layers()
inputs = keras.Input([2])
models = {"functional": (keras.Model(inputs, last(hidden(inputs))), hidden)}
hidden, last = layers()
models["Sequential"] = (
    keras.Sequential([keras.Input([2]), hidden, last]), hidden)
hidden, last = layers()
inner = keras.Sequential([keras.Input([2]), hidden])
models["nested"] = (
    keras.Sequential([keras.Input([2]), inner, last]), hidden)
x = tf.constant([[1.0, 2.0]])
for name, (model, layer) in models.items():
    of_layer, gradient = output_and_gradient(model, layer, x)
    step = model.layers[-1](of_layer + tf.constant([[0.5, 0.0]])) - model(x)
    print(f"{name:10}", "output", of_layer.numpy(), "gradient",
          gradient.numpy(), "difference", (step / 0.5).numpy().item())
