"""The copy's gradient, compared with NumPy and with central differences."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes tf.nn.relu(upstream)
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


def by_hand(model, x):
    """Forward, and back with a mask of the input and one of upstream."""
    *hidden, (W, _) = [each.get_weights() for each in model.layers]
    masks = []
    for V, p in hidden:
        x = x @ V + p
        masks.append(x > 0.0)
        x = np.maximum(x, 0.0)
    upstream = np.tile(W.T, [len(x), 1])
    for (V, _), mask in zip(hidden[::-1], masks[::-1]):
        upstream = (np.maximum(upstream, 0.0) * mask) @ V.T
    return upstream


def differences(model, x, step=1e-6):
    rows = [model(x + step * e) - model(x - step * e) for e in np.eye(3)]
    return np.concatenate(rows, 1) / (2.0 * step)


keras.utils.set_random_seed(2)
keras.config.set_floatx("float64")
model = keras.Sequential([keras.Input([3])] + [
    keras.layers.Dense(5, "relu") for _ in range(3)] + [
    keras.layers.Dense(1)])
x = tf.constant(np.random.normal(size=[4, 3]))
for weights in "of both signs", "none negative":
    if weights == "none negative":
        model.set_weights([abs(each) for each in model.get_weights()])
    copy = keras.models.clone_model(model, clone_function=guided)
    copy.set_weights(model.get_weights())
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = copy(x)
    found = tape.gradient(y, x).numpy()
    for name, other in ("by hand", by_hand), ("differences", differences):
        error = abs(found - other(model, x.numpy())).max()
        print(f"weights {weights}:  {name:11}  within 1e-8:", error < 1e-8)
