"""Deliberately wrong: a map is tested with a batch of one example."""

import tensorflow as tf


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def mapped(x):
    return tf.vectorized_map(reverse, x)


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tf.convert_to_tensor(tape.gradient(y, x))


for x in tf.constant([3.0]), tf.constant([3.0, 5.0]):
    print(f"batch of {len(x)}"
          f"  tf.vectorized_map = {gradient(mapped, x).numpy()}"
          f"  without a map = {gradient(reverse, x).numpy()}")
