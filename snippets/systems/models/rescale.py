"""The gradient of SHAP's deep explainer: the slope from a reference to x."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the gradient of m * x; m needs no gradient; x.shape == m.shape
@tf.custom_gradient
def with_slope(x, m):
    def grad(upstream):
        return upstream * m, None

    return tf.nn.relu(x), grad


def rescaled_relu(both):
    """The batch contains the inputs, followed by their references."""
    x, a = tf.split(both, 2)
    near = tf.abs(x - a) < 1e-6
    safe = tf.where(near, tf.ones_like(x), x - a)
    m = tf.where(near, tf.cast(x > 0.0, x.dtype),
                 (tf.nn.relu(x) - tf.nn.relu(a)) / safe)
    return with_slope(both, tf.stop_gradient(tf.concat([m, m], 0)))


def rescaled(layer):
    copy = layer.__class__.from_config(layer.get_config())
    if getattr(copy, "activation", None) is keras.activations.relu:
        copy.activation = rescaled_relu
    return copy


def contributions(model, x, a):
    both = tf.concat([x, a], 0)
    with tf.GradientTape() as tape:
        tape.watch(both)
        score = model(both)
    return tf.split(tape.gradient(score, both), 2)[0] * (x - a)


keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input([4]), keras.layers.Dense(8, "relu"),
    keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
copy = keras.models.clone_model(model, clone_function=rescaled)
copy.set_weights(model.get_weights())
x, a = tf.constant(np.random.normal(size=[2, 3, 4]), tf.float32)
print("y(x) - y(a)          ", (model(x) - model(a)).numpy()[:, 0])
for name, each in ("model", model), ("copy", copy):
    shares = contributions(each, x, a)
    print(f"{name:5}  sum of shares ", tf.reduce_sum(shares, axis=1).numpy())
print("shares of the first input:", contributions(copy, x, a)[0].numpy())
