"""Deliberately wrong: upstream is clipped before its rows are added."""

import tensorflow as tf


# truth: upstream becomes tf.clip_by_value(upstream, -1.0, 1.0)
@tf.custom_gradient
def clipped(x):
    def grad(upstream):
        return tf.clip_by_value(upstream, -1.0, 1.0)

    return tf.identity(x), grad


def gathered(x):
    return tf.gather(clipped(x), [0, 0, 0])


x = tf.constant([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y, plain = gathered(x), tf.gather(x, [0, 0, 0])
print("upstream of a gather:", type(tape.gradient(plain, x)).__name__)
unclipped = tf.convert_to_tensor(tape.gradient(plain, x))
print("custom", tf.convert_to_tensor(tape.gradient(y, x)).numpy())
print("right ", tf.clip_by_value(unclipped, -1.0, 1.0).numpy())
