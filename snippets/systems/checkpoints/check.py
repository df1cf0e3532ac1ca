"""Compare blocks and halves with the plain chain and finite differences."""

import tensorflow as tf


def step(x, i):
    return tf.sin(x) + tf.roll(x, 1, 0) / (i + 2.0)


def steps(x, at, k):
    for i in range(at, at + k):
        x = step(x, i)
    return x


def blocks(x):
    for at in range(0, 16, 4):
        x = tf.recompute_grad(lambda x, at=at: steps(x, at, 4))(x)
    return x


def halves(x, at=0, n=16):
    if n == 1:
        return step(x, at)
    half = n // 2
    return tf.recompute_grad(
        lambda x: halves(halves(x, at, half), at + half, half))(x)


def gradient(function, x, upstream):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=upstream)


x = tf.random.stateless_normal([5], seed=[1, 2], dtype=tf.float64)
v, upstream = tf.unstack(
    tf.random.stateless_normal([2, 5], seed=[3, 4], dtype=tf.float64))
h = 1e-5
slope = (steps(x + h * v, 0, 16) - steps(x - h * v, 0, 16)) / (2.0 * h)
difference = tf.tensordot(upstream, slope, 1)
for name, function in {"plain": lambda x: steps(x, 0, 16),
                       "blocks": blocks, "halves": halves}.items():
    inner = tf.tensordot(gradient(function, x, upstream), v, 1)
    print(f"{name:6}  {inner:.9f}"
          f"  relative error below 1e-8:"
          f" {abs(inner / difference - 1.0) < 1e-8}")
