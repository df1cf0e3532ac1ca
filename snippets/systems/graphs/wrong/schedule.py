"""Deliberately wrong: a Python variable changes after the graph was traced."""

import tensorflow as tf

strength = 0.0


# truth: upstream becomes -strength * upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -strength * upstream


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x, graph = tf.constant(3.0), tf.function(reverse)
inside = tf.function(lambda x: gradient(reverse, x))
for strength in 0.0, 0.5, 1.0:
    print(f"strength {strength}  eager {gradient(reverse, x):4}"
          f"  tape inside {inside(x):4}  tape outside {gradient(graph, x):4}")
