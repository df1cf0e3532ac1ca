"""Deliberately wrong: stateful=False, though each call draws new numbers."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
calls = []


def draw(n):
    calls.append(n)
    return rng.standard_normal(n).astype(np.float32)


for stateful in True, False:
    @tf.function
    def drawn():
        return tf.numpy_function(draw, [2], tf.float32, stateful=stateful)

    calls.clear()
    for run in 1, 2, 3:
        print(f"stateful={stateful}: run {run} returns", drawn().numpy())
    print("  calls of NumPy:", len(calls))
