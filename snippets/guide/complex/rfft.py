"""The gradient of a transform of real numbers, compared with TensorFlow's."""

import numpy as np
import tensorflow as tf


def show(name, value):
    tf.print(f"{name:11}", tf.strings.as_string(value, shortest=True))


# truth: x.shape[-1] > 0
@tf.custom_gradient
def rfft(x):
    n = x.shape[-1]
    # 0.5 for each frequency that irfft counts twice.
    factors = [1.0] + [0.5] * ((n - 1) // 2) + [1.0] * (1 - n % 2)

    def grad(upstream):
        u = tf.cast(factors, upstream.dtype) * upstream
        downstream = n * tf.signal.irfft(u, [n])
        show("upstream", upstream)
        show("downstream", downstream)
        return downstream

    return tf.signal.rfft(x), grad


weights = tf.constant([0.5, 1.0, 2.0], tf.float64)


def loss(Y):
    return tf.reduce_sum(weights * tf.abs(Y) ** 2)


for x in ([1.0, 2.0, -1.0, 0.5], [1.0, 2.0, -1.0, 0.5, 3.0]):
    x = tf.constant(x, tf.float64)
    for name, transform in ("custom", rfft), ("TensorFlow", tf.signal.rfft):
        with tf.GradientTape() as tape:
            tape.watch(x)
            L = loss(transform(x))
        show(name, tape.gradient(L, x))

x = np.array([1.0, 2.0, -1.0, 0.5])
F = np.exp(-2j * np.pi * np.outer(range(3), range(4)) / 4)
Y = F @ x
print("F has the shape", list(F.shape))
print("F x         ", Y.round(6) + 0)
Y_bar = 2 * weights.numpy() * Y
x_bar = (F.conj().T @ Y_bar).real
print("by F        ", x_bar.round(6) + 0)
