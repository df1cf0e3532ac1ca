"""Deliberately wrong: surrogates that are far too narrow, and too wide."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def spike(v, width):
    u = (v - 1.0) / width

    def grad(upstream):
        return upstream * tf.sigmoid(u) * tf.sigmoid(-u) / width, None

    return tf.cast(u > 0, v.dtype), grad


def output(kernel, head, width):
    v, total = tf.zeros([256, 16]), tf.zeros([256, 16])
    for t in range(12):
        v = 0.9 * v + x[:, t] @ kernel
        s = spike(v, width)
        v, total = v - tf.stop_gradient(s), total + s
    return total @ head


def gradient(kernel, head, width):
    with tf.GradientTape() as tape:
        tape.watch([kernel, head])
        errors = output(kernel, head, width) - y
        loss = tf.reduce_mean(errors ** 2)
    return loss, *tape.gradient(loss, [kernel, head])


def train(width):
    kernel = tf.random.stateless_uniform([2, 16], [1, 2], -0.6, 0.6)
    head = tf.random.stateless_uniform([16, 1], [3, 4], -0.6, 0.6)
    step = tf.function(gradient)
    for number in range(151):
        loss, by_kernel, by_head = step(kernel, head, tf.constant(width))
        if number == 0:
            dead = np.sum(np.all(by_kernel.numpy() == 0, axis=0))
        kernel, head = kernel - 0.2 * by_kernel, head - 0.02 * by_head
    print(f"width {width:5}: {dead:2} of 16 neurons without a gradient,"
          f" final loss {loss:.1f}")


rng = np.random.default_rng(0)  # which of two channels has its pulse first?
times = np.sort([rng.choice(9, 2, replace=False) for _ in range(256)], 1)
first = rng.integers(0, 2, 256)
x = np.zeros([256, 12, 2], "float32")
x[np.arange(256), times[:, 0], first] = 1
x[np.arange(256), times[:, 1], 1 - first] = 1
y = 2.0 * first[:, None].astype("float32") - 1
for width in 0.001, 0.3, 30.0:
    train(width)
