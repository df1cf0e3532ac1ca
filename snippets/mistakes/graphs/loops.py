"""A custom gradient in a loop: eagerly, in a graph, under XLA."""

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def by_while_loop(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, 2.0 * reverse(y)), (0, x),
        maximum_iterations=3)[1]


def by_map_fn(x):
    return tf.map_fn(lambda each: 2.0 * reverse(each), x)


def by_scan(x):
    return tf.scan(lambda last, each: last + reverse(each), x)[-1]


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


tf.get_logger().setLevel("ERROR")  # no warnings about retracing
x = tf.constant([1.0, 2.0, 3.0])
for function in by_while_loop, by_map_fn, by_scan:
    def run(x):
        return gradient(function, x)

    print(f"{function.__name__:14}", *[
        each(x).numpy() for each in (
            run, tf.function(run), tf.function(run, jit_compile=True))])
