"""The gradient of a phase: the real part of upstream times a conjugate."""

import tensorflow as tf


def show(name, value):
    tf.print(f"{name:10}", tf.strings.as_string(value, precision=4))


@tf.custom_gradient
def phase(theta):
    y = tf.complex(tf.cos(theta), tf.sin(theta))

    def grad(upstream):
        downstream = tf.math.real(upstream * tf.math.conj(1j * y))
        show("upstream", upstream)
        show("downstream", downstream)
        return downstream

    return y, grad


def by_hand(theta):
    return tf.complex(tf.cos(theta), tf.sin(theta))


def loss(y):
    """The squared distance from 2 + i: it is least at the angle of 2 + i."""
    return tf.reduce_sum(tf.abs(y - (2.0 + 1.0j)) ** 2)


theta = tf.constant([0.0, 1.0], tf.float64)
for each in (phase, by_hand):
    with tf.GradientTape() as tape:
        tape.watch(theta)
        y = each(theta)
        L = loss(y)
    show(each.__name__, tape.gradient(L, theta))
