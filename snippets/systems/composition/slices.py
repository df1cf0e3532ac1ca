"""A custom gradient that returns rows of a gradient, as IndexedSlices."""

import tensorflow as tf

rows = [2, 0]


@tf.custom_gradient
def rule(x):
    def grad(upstream):
        return tf.IndexedSlices(upstream, tf.constant(rows), tf.shape(x))

    return tf.gather(x, rows), grad


def meant(x):
    return tf.gather(x, rows)


inputs = [tf.constant([0.5, -1.0, 2.0])]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    y = rule(*inputs)
downstream = tape.gradient(y, inputs)[0]
at = downstream.indices
print("downstream =", downstream.values.numpy(), "at", at.numpy())
