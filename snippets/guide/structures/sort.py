"""A float output and an integer output: sorted values and their places."""

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
y_bar = tf.constant([1.0, 10.0, 100.0, 1000.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y, places = sort(x)
    plain = tf.sort(x)
P = tf.one_hot(places, 4)
print("values", y.numpy(), " places", places.numpy())
print("P x   ", tf.linalg.matvec(P, x).numpy())
x_bar = tape.gradient(y, x, output_gradients=y_bar)
print("y_bar P: ", tf.linalg.matvec(P, y_bar, transpose_a=True).numpy())
print("autodiff:", tape.gradient(plain, x, output_gradients=y_bar).numpy())
