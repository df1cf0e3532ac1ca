"""A float output and an integer output: sorted values, and where they were."""

import tensorflow as tf


# truth: x.shape.rank == 1
@tf.custom_gradient
def sort(x):
    places = tf.argsort(x)

    def grad(upstream_values, upstream_places):
        del upstream_places  # zeros, or None: an integer has no gradient
        downstream = tf.gather(upstream_values, tf.argsort(places))
        tf.print("upstream =", upstream_values, " downstream =", downstream)
        return downstream

    return (tf.gather(x, places), places), grad


x = tf.constant([0.3, 0.1, 0.4, 0.2])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    values, places = sort(x)
    loss = tf.reduce_sum(values * [1.0, 10.0, 100.0, 1000.0])
    plain = tf.reduce_sum(tf.sort(x) * [1.0, 10.0, 100.0, 1000.0])
print("values", values.numpy(), " places", places.numpy())
tape.gradient(loss, x)
print("autodiff:", tape.gradient(plain, x).numpy())
