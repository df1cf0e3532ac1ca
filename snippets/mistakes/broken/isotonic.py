"""The gradient of tf.nn.isotonic_regression, by the rank of its input."""

import numpy as np
import tensorflow as tf

weights = tf.constant([1.0, 10.0, 100.0], tf.float64)


def loss(x):
    return tf.reduce_sum(tf.nn.isotonic_regression(x)[0] * weights)


for shape in (3,), (1, 3), (1, 1, 3):
    x = tf.reshape(tf.constant([0.3, 0.7, 0.4], tf.float64), shape)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    found = tape.gradient(y, x)
    steps = 1e-6 * np.eye(3).reshape(3, *shape)
    right = [(loss(x + h) - loss(x - h)).numpy() / 2e-6 for h in steps]
    print(f"{shape}: tape {found.numpy().ravel()} of shape {found.shape}"
          f"  differences {np.round(right, 3)}")
