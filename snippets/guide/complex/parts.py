"""What tape.gradient returns: the two partial derivatives, as one number."""

import numpy as np
import tensorflow as tf


def loss(z):
    return tf.math.real(tf.exp(z) * tf.math.conj(z))


def loss_of_pair(a, b):
    z = tf.complex(a, b)
    return loss(z)


a, b = tf.constant(0.5, tf.float64), tf.constant(-1.2, tf.float64)
with tf.GradientTape() as tape:
    tape.watch([a, b])
    L = loss_of_pair(a, b)
a_bar, b_bar = tape.gradient(L, [a, b])
print(f"pair of reals     dL/da = {a_bar:.6f}, dL/db = {b_bar:.6f}")

z = tf.complex(a, b)
with tf.GradientTape() as tape:
    tape.watch(z)
    L = loss(z)
z_bar = tape.gradient(L, z).numpy()
print(f"tape.gradient     {z_bar:.6f}")

h = 1e-6
along_1, along_i = (
    (loss(z + h * step) - loss(z - h * step)).numpy() / (2.0 * h)
    for step in (1, 1j))
print(f"differences       along 1 {along_1:.6f}, along i {along_i:.6f}")

direction = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 721))
change = [loss(z + h * d).numpy() - loss(z).numpy() for d in direction]
steepest = direction[np.argmax(change)]
print(f"steepest of {len(direction) - 1} directions {steepest:.2f},"
      f" gradient / |gradient| {z_bar / abs(z_bar):.2f}")
