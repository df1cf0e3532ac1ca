"""Deliberately wrong: the forward pass fills a list, and grad empties it."""

import tensorflow as tf

saved = []


@tf.custom_gradient
def exponential(x):
    saved.append(tf.exp(x))
    return saved[-1], lambda upstream: upstream * saved.pop()


x = tf.constant(0.0)
for _ in range(5):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = exponential(x)
    tape.gradient(y, x)
print("after training:", len(saved))
for _ in range(5):
    exponential(x)
print("after validation:", len(saved))
