"""Wrong on purpose: behind a gather, a rule clips slices, not their sum."""

import tensorflow as tf


# truth: upstream becomes tf.clip_by_value(upstream, -1.0, 1.0)
@tf.custom_gradient
def clipped(x):
    return tf.identity(x), lambda upstream: (
        tf.clip_by_value(upstream, -1.0, 1.0))


def gathered(x):
    return tf.gather(clipped(x), [0, 0, 0])


x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = gathered(x)
gradient = tf.convert_to_tensor(tape.gradient(y, x))
print("wrong", gradient.numpy())
print("right", tf.clip_by_value(gradient, -1.0, 1.0).numpy())
