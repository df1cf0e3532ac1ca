"""Deliberately wrong: an attempt without effect, and one with new weights."""

import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; upstream becomes tf.nn.relu(upstream)
@tf.custom_gradient
def guided_relu(x):
    def grad(upstream):
        return tf.nn.relu(upstream) * tf.cast(x > 0.0, x.dtype)

    return tf.nn.relu(x), grad


def guided(layer):
    copy = layer.__class__.from_config(layer.get_config())
    if getattr(copy, "activation", None) is keras.activations.relu:
        copy.activation = guided_relu
    return copy


def show(name, model):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model(x)
    gradient = tape.gradient(y, x)
    print(f"{name:22} y {y.numpy()}  gradient {gradient.numpy()}")


keras.utils.set_random_seed(0)
dense = keras.layers.Dense(2, "relu")
model = keras.Sequential([
    keras.Input([2]), dense, keras.layers.Dense(1, use_bias=False)])
dense.kernel.assign([[1.0, 0.0], [0.0, 1.0]])
model.layers[1].kernel.assign([[1.0], [-1.0]])
x = tf.constant([[3.0, 4.0]])
show("model", model)

relu, keras.activations.relu = keras.activations.relu, guided_relu
show("relu replaced in Keras", model)
keras.activations.relu = relu

copy = keras.models.clone_model(model, clone_function=guided)
show("copy without weights", copy)
dense.activation = guided_relu
show("should be", model)
