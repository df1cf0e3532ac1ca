"""A Python loop adds no graph, so all its tensors are accessible."""

import tensorflow as tf

seen = []


@tf.custom_gradient
def probe(x):
    def grad(upstream):
        seen.append(upstream)
        return upstream

    return tf.identity(x), grad


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(2):
            y = 3.0 * probe(y)
    return tape.gradient(y, x), list(seen)


downstream, upstreams = gradient(tf.constant(2.0))
print(downstream.numpy(), [float(each) for each in upstreams])
