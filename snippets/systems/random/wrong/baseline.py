"""Deliberately wrong: a baseline that contains the sample's own cost."""

import tensorflow as tf

N, f = 200_000, tf.constant([0.2025, 0.3025])
theta = tf.ones([N, 2])  # two samples each
p = tf.sigmoid(1.0)
u = tf.random.stateless_uniform([N, 2], seed=[1, 2])
z = tf.cast(u < p, tf.float32)
cost = tf.gather(f, tf.cast(z, tf.int32))
for name, b in {
        "wrong": tf.reduce_mean(cost, 1, keepdims=True),
        "right": tf.reverse(cost, [1])}.items():
    slope = tf.reduce_mean((cost - b) * (z - p))
    print(f"{name}  mean {slope:.5f}"
          f"  exact {p * (1.0 - p) * (f[1] - f[0]):.5f}")
