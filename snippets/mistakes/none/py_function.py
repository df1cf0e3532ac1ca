"""TensorFlow inside py_function has its gradient, and its shape is set."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


def sine(x):
    y = tf.py_function(tf.sin, [x], tf.float32)
    return tf.ensure_shape(y, x.shape)


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sine(x)
    return tape.gradient(y, x)


x = tf.constant([0.5, 1.0])
for name, run in ("eager", gradient), ("graph", tf.function(gradient)):
    print(f"{name}: {run(x).numpy()}")
print("right:", np.cos(x))
for name, function in ("py_function", sine), ("tf.sin", tf.sin):
    model = keras.Sequential([
        keras.Input([1]), keras.layers.Dense(1, kernel_initializer="ones"),
        keras.layers.Lambda(function)])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(np.ones([4, 1]), np.zeros([4, 1]), verbose=0)
    print(f"fit, {name}: {model.get_weights()[0].item():.4f}")
