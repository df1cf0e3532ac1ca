"""Wrong on purpose: a where inside a rule, seen by the second derivative."""

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
        lambda x: tf.math.divide_no_nan(0.5, tf.sqrt(x)))}

for name, root in roots.items():
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = root(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    print(f"{name:13} first = {first.numpy()}  second = {second.numpy()}")
