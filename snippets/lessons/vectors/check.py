"""The square's gradient against upstream @ J and finite differences."""

# tracebook: alone

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x * x, grad


def plain(x):
    return x * x


def loss_of(y):
    return tf.reduce_sum(w * tf.sin(y))


x = tf.constant([-1.5, 0.0, 2.0], tf.float64)
w = tf.constant([1.0, 10.0, 100.0], tf.float64)

with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = plain(x)
    loss = loss_of(y)
    custom_loss = loss_of(square(x))
J = tape.jacobian(y, x).numpy()
upstream = tape.gradient(loss, y).numpy()

h = 1e-5
differences = [(loss_of(plain(x + e)) - loss_of(plain(x - e))) / (2 * h)
               for e in h * np.eye(3)]

np.set_printoptions(suppress=True, floatmode="fixed", precision=6)
print("J of the plain square:")
print(J + 0.0)  # turns -0.0 into 0.0
print("upstream     =", upstream)
print("upstream @ J =", upstream @ J)
print("custom       =", tape.gradient(custom_loss, x).numpy())
print("differences  =", np.array(differences))
