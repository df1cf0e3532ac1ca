"""Deliberately wrong: tf.where inside grad, and second derivatives."""

import tensorflow as tf


def root_with(local_of):
    # truth: the rule is right
    @tf.custom_gradient
    def root(x):
        y = tf.sqrt(x)

        def grad(upstream):
            return upstream * local_of(x)

        return y, grad

    return root


roots = {
    "where": root_with(
        lambda x: tf.where(x > 0.0, 0.5 / tf.sqrt(x), 0.0)),
    "divide_no_nan": root_with(
        lambda x: tf.math.divide_no_nan(0.5, tf.sqrt(x))),
    "double where": root_with(lambda x: tf.where(
        x > 0.0, 0.5 / tf.sqrt(tf.where(x > 0.0, x, 1.0)), 0.0))}


def slopes(root, jit):
    def both(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = root(x)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    x = tf.constant([0.0, 4.0])
    graph = tf.function(both, jit_compile=True, autograph=False)
    return graph.get_concrete_function(x)(x) if jit else both(x)


for name, root in roots.items():
    for mode in ("eager", "XLA"):
        first, second = slopes(root, jit=mode == "XLA")
        print(f"{name:13}  {mode:5}  first = {first.numpy()}"
              f"  second = {second.numpy()}")
