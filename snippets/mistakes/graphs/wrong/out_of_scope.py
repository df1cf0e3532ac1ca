"""Deliberately wrong: grad keeps its upstream gradient in a list."""

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
        y = 3.0 * probe(x)
    return tape.gradient(y, x)


x = tf.constant(2.0)
gradient(x)
try:
    print(tf.reduce_sum(seen[0]))
except TypeError as error:
    print(str(error).splitlines()[0])
