"""Deliberately wrong: the mapped function can't be vectorized."""

import tensorflow as tf


# truth: the rule is right; first derivative only
@tf.custom_gradient
def cube(x):
    y = tf.numpy_function(lambda x: x ** 3, [x], x.dtype)
    return tf.ensure_shape(y, x.shape), lambda upstream: (
        upstream * 3.0 * x ** 2)


x = tf.constant([1.0, 2.0])
try:
    tf.vectorized_map(cube, x, fallback_to_while_loop=False)
except ValueError as error:
    print(*[line.strip() for line in str(error).splitlines()
            if "No pfor" in line])
