"""Each tracing leaves entries in TensorFlow's registry of gradients."""

import tensorflow as tf
from tensorflow.python.framework import ops


def square(x):
    return x * x


@tf.custom_gradient
def custom(x):
    return x * x, lambda upstream: upstream * 2.0 * x


def entries():
    return sum(name.startswith("CustomGradient-")
               for name in ops.gradient_registry.list())


def trace(function):
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    slope(tf.constant(3.0))


tf.get_logger().setLevel("ERROR")  # no warning about retracing
recomputed = tf.recompute_grad(square)
for function in square, custom, recomputed:
    before = entries()
    for _ in range(5):
        trace(function)
    name = "recomputed" if function is recomputed else function.__name__
    print(f"{name:10}  after 5 tracings: entries left {entries() - before:2d}")
