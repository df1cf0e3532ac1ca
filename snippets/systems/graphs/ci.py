"""One custom gradient in the places that a test should try."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    return x**3, lambda upstream: upstream * 3.0 * x**2


@tf.custom_gradient
def copied(x):
    x = tf.identity(x)
    return x**3, lambda upstream: upstream * 3.0 * x**2


def gradient(function):
    def of(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x) ** 2)
        return tape.gradient(y, x)

    return of


def branch(function):
    return lambda x: tf.cond(
        tf.size(x) > 0, lambda: function(x), lambda: x)


open_batch = tf.function(input_signature=[tf.TensorSpec([None])])
places = {
    "eager": gradient,
    "tape inside": lambda f: tf.function(gradient(f)),
    "tape outside": lambda f: gradient(tf.function(f)),
    "XLA": lambda f: tf.function(gradient(f), jit_compile=True),
    "branch, outside": lambda f: gradient(tf.function(branch(f))),
    "unknown batch": lambda f: gradient(open_batch(f)),
    "second order": lambda f: gradient(gradient(tf.function(f))),
}
tf.get_logger().setLevel("ERROR")  # no warnings on retracing
x = tf.constant([1.0, 2.0])
for name, place in places.items():
    expected = place(lambda x: x**3)(x)
    found = []
    for function in cube, copied:
        try:
            error = abs(place(function)(x) / expected - 1.0)
            found.append("right" if max(error) < 1e-5 else "wrong")
        except AssertionError:
            found.append("AssertionError")
    print(f"{name:16} {found[0]:15} {found[1]}")
