"""Deliberately wrong: TensorFlow's cross-entropy, labels that sum to 2."""

import numpy as np
import tensorflow as tf


def loss(z):
    return tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z)


h = 1e-5
z = tf.constant([1.0, 2.0, 3.0], tf.float64)
for t in ([0.0, 0.5, 0.5], [0.0, 1.0, 1.0]):
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = loss(z)
    differences = [(loss(z + step) - loss(z - step)) / (2 * h)
                   for step in h * np.eye(3)]
    p = tf.nn.softmax(z)
    print("labels     ", t)
    print("TensorFlow ", tape.gradient(y, z).numpy().round(5))
    print("differences", np.round(differences, 5))
    print("p - t      ", (p - t).numpy().round(5))
    print("p sum(t)-t ", (p * sum(t) - t).numpy().round(5))
