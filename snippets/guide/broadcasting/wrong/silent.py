"""Deliberately wrong: a gradient [2, 3] for an input [3], often silent."""

import tensorflow as tf


@tf.custom_gradient
def shift(x, b):
    def grad(upstream):
        return upstream, upstream

    return x + b, grad


def gradient(before, w):
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_sum(shift(tf.zeros([2, 3]), before(w)))
    return tape.gradient(loss, w)


b = tf.constant([1.0, 2.0, 3.0])
print(f"{'one step earlier':20} {'eager':22} tf.function")
for name, before, w in (
        ("b", tf.identity, b), ("tf.sin(b)", tf.sin, b),
        ("tf.exp(b)", tf.exp, b), ("tf.nn.softmax(b)", tf.nn.softmax, b),
        ("tf.tanh(b)", tf.tanh, b), ("2 * b", lambda b: 2.0 * b, b),
        ("tf.reduce_sum(W, 0)", lambda W: tf.reduce_sum(W, 0),
         tf.ones([2, 3]))):
    graph = tf.function(lambda: gradient(before, w), autograph=False)
    found = []
    for run in (lambda: gradient(before, w),
                lambda: graph.get_concrete_function()()):
        try:
            found.append(f"SILENT {run().shape}")
        except (ValueError, tf.errors.InvalidArgumentError) as error:
            found.append(type(error).__name__)
    print(f"{name:20} {found[0]:22} {found[1]}")

wrong, right = gradient(tf.identity, b), tf.constant([2.0, 2.0, 2.0])
print(f"norm: {tf.linalg.global_norm([wrong]).numpy():.4f}"
      f" instead of {tf.linalg.global_norm([right]).numpy():.4f}")
