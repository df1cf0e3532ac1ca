"""Deliberately wrong: a gradient for the values and one for the splits."""

import tensorflow as tf


@tf.custom_gradient
def double(x):
    def grad(upstream):
        print("  upstream:", type(upstream).__name__, upstream.shape)
        return 2.0 * upstream, None  # the values, the splits

    return x * 2.0, grad


x = tf.ragged.constant([[1.0, 2.0], [3.0]])
for name, run in ("eager", double), ("tf.function", tf.function(double)):
    print(name)
    try:
        with tf.GradientTape() as tape:
            tape.watch(x.values)
            y = run(x)
        tape.gradient(y, x)
    except ValueError as error:
        print(" ", str(error).splitlines()[0].split(" for op")[0])
