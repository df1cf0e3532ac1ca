"""Deliberately wrong: a padded gradient for a ragged tensor."""

import tensorflow as tf


@tf.custom_gradient
def total(x):
    def grad(upstream):
        return upstream[:, tf.newaxis] * tf.ones_like(x.to_tensor())

    return tf.reduce_sum(x, axis=1), grad


x = tf.ragged.constant([[1.0, 2.0], [3.0]])
for name, run in ("eager", total), ("graph", tf.function(total)):
    try:
        with tf.GradientTape() as tape:
            tape.watch(x.flat_values)
            y = run(x)
        found = tape.gradient(y, x.flat_values)
        print(name, found.shape, "for", x.flat_values.shape)
    except ValueError as error:
        print(name, str(error).split(" Forward")[0])
