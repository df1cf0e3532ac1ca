"""Forward mode in a map, and a map in forward mode."""

import tensorflow as tf


# truth: downstream becomes 10.0 * downstream
@tf.custom_gradient
def identity(x):
    return tf.identity(x), lambda upstream: 10.0 * upstream


# truth: the gradient of tf.identity; downstream becomes 10.0 * downstream
@tf.custom_gradient
def rounded(x):
    return tf.round(x), lambda upstream: 10.0 * upstream


def jvp(f, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(x)
    return accumulator.jvp(y)


places = {
    "tf.map_fn of forward": lambda f, x: tf.map_fn(lambda x: jvp(f, x), x),
    "tf.vectorized_map of forward": lambda f, x: tf.vectorized_map(
        lambda x: jvp(f, x), x),
    "forward of tf.map_fn": lambda f, x: jvp(lambda x: tf.map_fn(f, x), x),
    "forward of tf.vectorized_map": lambda f, x: jvp(
        lambda x: tf.vectorized_map(f, x), x),
}


def shown(run):
    try:
        found = run(tf.constant([0.25, 2.0]))
    except TypeError as error:
        return type(error).__name__
    return None if found is None else found[0].numpy()


tf.get_logger().setLevel("ERROR")  # no warnings on retracing
for f in identity, rounded:
    for name, place in places.items():
        graph = tf.function(lambda x: place(f, x), autograph=False)
        eager = shown(lambda x: place(f, x))
        print(f"{f.__name__:8}  {name:28}  eager = {eager}"
              f"  tf.function = {shown(graph)}")
