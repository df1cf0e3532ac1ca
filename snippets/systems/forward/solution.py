"""A Jacobian-vector product from the rows of a Jacobian."""

import tensorflow as tf


# truth: downstream becomes 10.0 * downstream
@tf.custom_gradient
def identity(x):
    return tf.identity(x), lambda upstream: 10.0 * upstream


# truth: the gradient of tf.identity; downstream becomes 10.0 * downstream
@tf.custom_gradient
def rounded(x):
    return tf.round(x), lambda upstream: 10.0 * upstream


# truth: upstream becomes tf.minimum(upstream, 0.5)
@tf.custom_gradient
def limited(x):
    return tf.identity(x), lambda upstream: tf.minimum(upstream, 0.5)


def jvp_by_rows(f, x, dx):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tf.linalg.matvec(tape.jacobian(y, x), dx)


x, dx = tf.constant([0.25, 2.0]), tf.constant([1.0, 1.0])
for f in identity, rounded, limited:
    graph = tf.function(lambda x: jvp_by_rows(f, x, dx), autograph=False)
    print(f"{f.__name__:8}  eager = {jvp_by_rows(f, x, dx).numpy()}"
          f"  tf.function = {graph(x).numpy()}")
