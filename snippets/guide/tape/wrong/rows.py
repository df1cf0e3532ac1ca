"""Deliberately wrong: two gradient functions that don't add the rows."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


@tf.custom_gradient
def clip_rows(x):
    def grad(upstream):
        print("  upstream:", type(upstream).__name__)
        return tf.clip_by_value(upstream, -1.0, 1.0)

    return tf.identity(x), grad


@tf.custom_gradient
def clip_sum(x):
    def grad(upstream):
        upstream = tf.convert_to_tensor(upstream)
        print("  upstream:", upstream.numpy())
        return tf.clip_by_value(upstream, -1.0, 1.0)

    return tf.identity(x), grad


for function in square, clip_rows, clip_sum:
    print(function.__name__)
    x = tf.constant([5.0, 6.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(function(x), [0, 0, 0, 1])
    try:
        slope = tape.gradient(y, x)
        print("  gradient", tf.convert_to_tensor(slope).numpy())
    except TypeError as error:
        print("  TypeError:", error)
