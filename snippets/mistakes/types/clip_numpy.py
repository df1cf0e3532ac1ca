"""The same gradient with TensorFlow operations."""

import tensorflow as tf


# truth: upstream becomes upstream / tf.maximum(tf.norm(upstream), 1.0)
@tf.custom_gradient
def clipped(x):
    def grad(upstream):
        return upstream / tf.maximum(tf.norm(upstream), 1.0)

    return tf.identity(x), grad


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum([3.0, 4.0] * clipped(x))
    return tape.gradient(y, x)


x = tf.constant([1.0, 1.0])
print("eager          ", gradient(x).numpy())
print("graph          ", tf.function(gradient)(x).numpy())
print("tf.clip_by_norm", tf.clip_by_norm([3.0, 4.0], 1.0).numpy())
