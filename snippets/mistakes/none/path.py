"""A helper that names each step of a chain at which the path ends."""

import numpy as np
import tensorflow as tf


def path_ends_in(x, *steps):
    found = []
    for step in steps:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.convert_to_tensor(step(x))
        if tape.gradient(y, x) is None:
            found.append(step.__name__)
        x = y
    return found


def doubled(x):
    return 2.0 * tf.sin(x)


def clipped(x):
    return np.clip(x, -1.0, 1.0)


def squared(x):
    return x * x


x = tf.constant(0.25)
print("the path ends in", path_ends_in(x, doubled, clipped, squared))
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = squared(tf.constant(clipped(doubled(x))))
    loss = y + x
print("gradient of y   ", tape.gradient(y, x))
print("gradient of loss", tape.gradient(loss, x).numpy())
