"""A custom gradient in a branch or a loop: before saving, and loaded."""

import tempfile

import tensorflow as tf


@tf.custom_gradient
def exponential(x):
    y = tf.exp(x)
    return y, lambda upstream: upstream * y


def alone(f, x):
    return f(x)


def cond(f, x):
    return tf.cond(x > 0.0, lambda: f(x), lambda: x)


def while_loop(f, x):
    return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, f(y)),
                         (0, x), maximum_iterations=2)[1]


def map_fn(f, x):
    return tf.reduce_sum(tf.map_fn(f, tf.stack([x, x])))


def gradient(function):
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return f"{tape.gradient(y, x):.4f}"
    except (AssertionError, TypeError) as error:
        return type(error).__name__


class Model(tf.Module):
    def __init__(self, construct, rule):
        super().__init__()
        self.run = tf.function(lambda x: construct(rule, x),
                               input_signature=[tf.TensorSpec([])])


x, apart = tf.constant(0.5), tf.function(exponential)
tf.get_logger().setLevel("ERROR")  # no warnings on retracing
for construct in alone, cond, while_loop, map_fn:
    print(construct.__name__, gradient(lambda x: construct(tf.exp, x)))
    for name, rule in ("bare", exponential), ("apart", apart):
        model = Model(construct, rule)
        inside = tf.function(lambda x: construct(rule, x))
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(model, folder)
            loaded = tf.saved_model.load(folder)
        print(f"  {name:5}  eager {gradient(lambda x: construct(rule, x))}"
              f"  graph {gradient(model.run)}"
              f"  loaded {gradient(loaded.run)}")
