"""Adam's steps by hand, in two precisions, next to the steps of Keras."""

import numpy as np
import tensorflow as tf

RATE, BETA_1, BETA_2, EPSILON = 0.1, 0.9, 0.999, 1e-7


def slope(x):
    """The gradient of the loss through the surrogate, (y - 1) times local."""
    s = 1 / (1 + np.exp(-x))
    return (np.sign(x) - 1) * s * (1 - s)


def by_hand(number):
    x, m, v, path = number(-1), number(0), number(0), []
    for t in range(1, 101):
        g = slope(x)
        m = m + (g - m) * (1 - BETA_1)
        v = v + (g * g - v) * (1 - BETA_2)
        corrected = RATE * np.sqrt(1 - number(BETA_2)**t)
        corrected = corrected / (1 - number(BETA_1)**t)
        x = x - corrected * m / (np.sqrt(v) + EPSILON)
        path.append(x)
    return path


def with_keras():
    x, path = tf.Variable(-1.0), []
    optimizer = tf.keras.optimizers.Adam(RATE)
    for _ in range(100):
        s = tf.sigmoid(x)
        gradient = (tf.sign(x) - 1.0) * (s * (1.0 - s))
        optimizer.apply([gradient], [x])
        path.append(x.numpy())
    return path


keras, single, double = with_keras(), by_hand(np.float32), by_hand(np.float64)
for step in (0, 50, 90):
    print(f"step {step:2}  Keras {keras[step]:.8f}"
          f"  float32 {single[step]:.8f}  float64 {double[step]:.8f}")
