"""The gradient of an FFT: n times the inverse transform of upstream."""

import numpy as np
import tensorflow as tf


def show(name, z):
    tf.print(f"{name:11}", tf.strings.as_string(z, shortest=True))


@tf.custom_gradient
def fft(z):
    def grad(upstream):
        n = tf.cast(tf.shape(z)[-1], z.dtype)
        downstream = n * tf.signal.ifft(upstream)
        show("upstream", upstream)
        show("downstream", downstream)
        return downstream

    return tf.signal.fft(z), grad


z = tf.constant([1, 2j, -1, 0.5], tf.complex128)
weights = tf.constant([0.0, 1.0, 0.0, 2.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(z)
    Y = fft(z)
    L = tf.reduce_sum(weights * tf.abs(Y) ** 2)
show("Y", Y)
tape.gradient(L, z)

k = np.arange(4)
F = np.exp(-2j * np.pi * np.outer(k, k) / 4)
print("F has the shape", list(F.shape))
upstream = 2 * weights.numpy() * Y.numpy()
print("F^H upstream", (F.conj().T @ upstream).round(6) + 0)
print("F^T upstream", (F.T @ upstream).round(6) + 0)
