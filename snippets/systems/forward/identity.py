"""A gradient that no map can drop: it is part of the forward pass."""

import tensorflow as tf


def reverse(x):
    return tf.stop_gradient(2.0 * x) - x


def rounded(x):
    return x + tf.stop_gradient(tf.round(x) - x)


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def jvp(f, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(x)
    return accumulator.jvp(y)


places = {
    "tape": gradient,
    "forward mode": jvp,
    "forward mode outside a graph": lambda f, x: jvp(tf.function(f), x),
    "tape outside tf.vectorized_map": lambda f, x: gradient(
        lambda x: tf.vectorized_map(f, x), x),
    "forward in tf.vectorized_map": lambda f, x: tf.vectorized_map(
        lambda x: jvp(f, x), x),
}
x = tf.constant([0.25, 2.0])
print("values: reverse =", reverse(x).numpy(),
      " rounded =", rounded(x).numpy())
for name, place in places.items():
    print(f"{name:30} reverse = {place(reverse, x).numpy()}"
          f"  rounded = {place(rounded, x).numpy()}")
