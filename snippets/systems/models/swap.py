"""Activations replaced in the model itself, and then restored."""

import contextlib

import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes tf.nn.relu(upstream)
@tf.custom_gradient
def guided_relu(x):
    def grad(upstream):
        return tf.nn.relu(upstream) * tf.cast(x > 0.0, x.dtype)

    return tf.nn.relu(x), grad


def within(model):
    for layer in model.layers:
        yield layer
        yield from within(layer) if hasattr(layer, "layers") else ()


@contextlib.contextmanager
def swapped(model, old, new):
    found = [each for each in within(model)
             if getattr(each, "activation", None) is old]
    assert found, "no layer has this activation"
    for each in found:
        each.activation = new
    try:
        yield
    finally:
        for each in found:
            each.activation = old


model = keras.Sequential([
    keras.Input([2]),
    keras.layers.Dense(2, "relu", kernel_initializer="identity")])
x, relu = tf.constant([[3.0, 4.0]]), keras.activations.relu


def saliency(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(model(x) * [[1.0, -1.0]])
    return tape.gradient(y, x)


traced_before = tf.function(saliency)
traced_inside = tf.function(saliency)
print("before:                  ", traced_before(x).numpy())
with swapped(model, relu, guided_relu):
    print("inside, eager:           ", saliency(x).numpy())
    print("inside, traced before:   ", traced_before(x).numpy())
    print("inside, traced inside:   ", traced_inside(x).numpy())
print("after, eager:            ", saliency(x).numpy())
print("after, traced inside:    ", traced_inside(x).numpy())
