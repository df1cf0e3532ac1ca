"""print runs when Python calls grad, tf.print when the graph runs."""

# tracebook: alone

import tensorflow as tf


@tf.custom_gradient
def probe(x):
    def grad(upstream):
        print("  print   ", type(upstream).__name__)
        tf.print("  tf.print ", upstream)
        return upstream

    return tf.identity(x), grad


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x) ** 2
    return tape.gradient(y, x)


def steps(place, step):
    print(place)
    for x in tf.constant([3.0, 4.0]):
        print("  gradient ", step(x).numpy())


graph, inner = tf.function(probe), tf.function(probe)
steps("eager", lambda x: gradient(probe, x))
steps("tape inside", tf.function(lambda x: gradient(probe, x)))
steps("tape outside", lambda x: gradient(graph, x))
steps("nested", tf.function(lambda x: gradient(inner, x)))
tf.config.run_functions_eagerly(True)
steps("tape inside, functions run eagerly",
      tf.function(lambda x: gradient(probe, x)))
