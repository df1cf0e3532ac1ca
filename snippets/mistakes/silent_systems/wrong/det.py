"""Deliberately wrong: the determinant of a complex matrix."""

import tensorflow as tf


def determinant(z):
    return tf.linalg.det([[z]])


z = tf.constant(1 + 2j, tf.complex128)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(z)
    y, same = determinant(z), tf.identity(z)
print("y and z", y.numpy(), same.numpy())
print("wrong  ", tape.gradient(y, z).numpy().round(6))
print("right  ", tape.gradient(same, z).numpy())
