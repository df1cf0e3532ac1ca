"""Deliberately wrong: Adam squares a complex gradient without its modulus."""

import keras
import tensorflow as tf

target = tf.constant(1 + 2j, tf.complex64)


def loss(z):
    return tf.abs(z - target) ** 2


z = tf.Variable(1 + 0j, dtype=tf.complex64)
a, b = tf.Variable(1.0), tf.Variable(0.0)
together, apart = (keras.optimizers.Adam(0.1) for _ in range(2))
for step in range(201):
    with tf.GradientTape() as tape:
        L = loss(z)
    gradient = tape.gradient(L, z)
    together.apply_gradients([(gradient, z)])
    with tf.GradientTape() as tape:
        L_parts = loss(tf.complex(a, b))
    apart.apply_gradients(zip(tape.gradient(L_parts, [a, b]), [a, b]))
    if step == 0:
        print(f"first gradient {gradient.numpy():.1f},"
              f" first step to {z.numpy():.2f}")
    if step in (0, 100, 200):
        print(f"step {step:3}: one complex variable L {L.numpy():.2f},"
              f" two real ones {L_parts.numpy():.2f}")
