"""map_fn, or the tape inside tf.vectorized_map, keeps the gradient."""

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant([1.0, 2.0])
for name, found in (
        ("on the whole batch", gradient(reverse, x)),
        ("map_fn", gradient(lambda x: tf.map_fn(reverse, x), x)),
        ("tape inside", tf.vectorized_map(lambda x: gradient(reverse, x), x))):
    tf.debugging.assert_near(found, -tf.ones_like(x))
    print(f"{name:18}", found.numpy())
