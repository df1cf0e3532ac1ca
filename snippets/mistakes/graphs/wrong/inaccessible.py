"""Deliberately wrong: in a loop, grad stores its upstream gradient."""

import re

import tensorflow as tf

seen = []


# truth: the rule is right
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
        y = tf.while_loop(lambda i, y: i < 2,
                          lambda i, y: (i + 1, 3.0 * probe(y)), (0, x))[1]
    return tape.gradient(y, x) + tf.add_n(seen)


x = tf.constant(2.0)
try:
    print(gradient(x))
except ValueError as error:
    line = str(error).strip().splitlines()[-1].strip()
    print(type(error).__name__)
    print(re.sub(r"Graph\(.*?\)", "Graph(…)", line.partition("> ")[2]))
