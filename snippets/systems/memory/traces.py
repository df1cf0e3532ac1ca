"""What each tracing leaves: entries in TensorFlow's registry of gradients."""

import tensorflow as tf
from tensorflow.python.framework import ops


def square(x):
    return x * x


@tf.custom_gradient
def with_rule(x):
    return x * x, lambda upstream: upstream * 2.0 * x


def rules():
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
for function in square, with_rule, recomputed:
    before = rules()
    for _ in range(5):
        trace(function)
    name = "recomputed" if function is recomputed else function.__name__
    print(f"{name:10}  after 5 traces: rules left {rules() - before:2d}")
