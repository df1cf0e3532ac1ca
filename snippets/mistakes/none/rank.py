"""A loss computed by NumPy, with a custom gradient and a shape."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: y_true needs no gradient; y_true.shape == y_pred.shape
@tf.custom_gradient
def squared(y_true, y_pred):
    def grad(upstream):
        return None, upstream * 2.0 * (y_pred - y_true)

    value = tf.numpy_function(
        lambda p, y: np.square(p - y), [y_pred, y_true], y_pred.dtype)
    return tf.ensure_shape(value, y_pred.shape), grad


for name, loss in ("NumPy", squared), ("Keras", "mse"):
    model = keras.Sequential([
        keras.Input([1]), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.1), loss)
    model.fit(np.ones([4, 1]), np.zeros([4, 1]), verbose=0)
    print(f"{name}: kernel after a step {model.get_weights()[0].item():.4f}")
