"""A gradient for each example, through a custom gradient."""

import tensorflow as tf


# truth: the gradient of x
@tf.custom_gradient
def rounded(x):
    return tf.round(x), lambda upstream: upstream


def loss(w, x):
    return tf.reduce_sum((rounded(w) * x) ** 2)


def gradient(w, x):
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = loss(w, x)
    return tape.gradient(y, w)


w, xs = tf.constant(1.7), tf.constant([1.0, 2.0, 3.0])
print("map_fn        ", tf.map_fn(lambda x: gradient(w, x), xs).numpy())
print("vectorized_map",
      tf.vectorized_map(lambda x: gradient(w, x), xs).numpy())
with tf.GradientTape() as tape:
    tape.watch(w)
    losses = tf.map_fn(lambda x: loss(w, x), xs)
print("jacobian      ", tape.jacobian(losses, w).numpy())
