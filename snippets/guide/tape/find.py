"""Find where the path ends: the gradient of each step by itself."""

import numpy as np
import tensorflow as tf


def steps(x):
    yield "x", x
    a = tf.sin(x)
    yield "a = sin(x)", a
    b = 2.0 * a
    yield "b = 2 a", b
    c = tf.constant(np.clip(b, -1.0, 1.0))
    yield "c = clip(b)", c
    tape.watch(c)  # bridge the cut, to see the steps after it
    d = c * c
    yield "d = c²", d
    L = d + x
    yield "L = d + x", L


x = tf.constant(0.25)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    found = list(steps(x))
for (before, start), (after, end) in zip(found, found[1:]):
    slope = tape.gradient(end, start)
    shown = "None" if slope is None else f"{slope.numpy():.4f}"
    print(f"{before:12} -> {after:12} {shown}")
L = found[-1][1]
print("dL/dx on the tape:", tape.gradient(L, x).numpy())
