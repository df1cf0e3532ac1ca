"""Backpropagation with s checkpoints: Revolve's schedule, and its counts."""

import collections
import functools
import math

import tensorflow as tf


@functools.cache
def plan(n, s):
    """The fewest steps that run again, and how far the next checkpoint is."""
    if n == 1 or s == 0:
        return (0 if n == 1 else math.inf), 0
    return min((j + plan(n - j, s - 1)[0] + plan(j, s)[0], j)
               for j in range(1, n))


def advance(x, at, j):
    for i in range(at, at + j):
        x = tf.sin(x)
        again[i] += 1
    return x


def reverse(x, at, n, s, upstream):
    if n == 1:
        return upstream * tf.cos(x)
    j = plan(n, s)[1]
    upstream = reverse(advance(x, at, j), at + j, n - j, s - 1, upstream)
    return reverse(x, at, j, s, upstream)


def chain(n, s):
    @tf.custom_gradient
    def run(x):
        y = advance(tf.stop_gradient(x), 0, n)
        return y, lambda upstream: reverse(x, 0, n, s, upstream)

    return run


n, x, again = 56, tf.constant(1.0), collections.Counter()
for s in 1, 2, 3, 5, 8, 56:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = chain(n, s)(x)
    again.clear()
    gradient = tape.gradient(y, x)
    r = max(again.values())
    formula = r * n - math.comb(s + r, s + 1)
    runs = sum(again.values())
    print(f"s = {s:2d}  dy/dx {gradient:.6f}  run again = {runs:4d}"
          f"  r = {r:2d}  formula = {formula:4d}"
          f"  reach = {math.comb(s + r, s):3d}")
