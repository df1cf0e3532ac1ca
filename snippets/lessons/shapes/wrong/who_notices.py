"""Deliberately wrong: five wrong gradients for x, in four places."""

import tensorflow as tf

X = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
FAULTS = {
    "[2, 1]": lambda good: good[:, :1],
    "[2]": lambda good: good[:, 0],
    "[3, 2]": tf.transpose,
    "float64": lambda good: tf.cast(good, tf.float64),
    "None": lambda good: None,
}
# What the tape watches, and how the output is computed from it.
PLACES = {
    "f(x)": (X, lambda f, x: f(x)),
    "f(sin x)": (X, lambda f, x: f(tf.sin(x))),
    "f(X + b)": (tf.constant(0.0), lambda f, b: f(X + b)),
    "f(x) + g(x)": (X, lambda f, x: f(x) + tf.reduce_sum(x, axis=1)),
}


def gradient(spoil, at, place):
    @tf.custom_gradient
    def f(x):
        def grad(upstream):
            return spoil(2.0 * upstream[:, tf.newaxis] * tf.ones_like(x))

        return 2.0 * tf.reduce_sum(x, axis=1), grad

    with tf.GradientTape() as tape:
        tape.watch(at)
        loss = tf.reduce_sum(place(f, at) * [1.0, 10.0])
    return tape.gradient(loss, at)


def verdict(way, spoil, at, place):
    good = gradient(tf.identity, at, place)
    try:
        found = way(lambda: gradient(spoil, at, place))
    except (ValueError, TypeError, tf.errors.InvalidArgumentError):
        return "error"
    if found is None or (found.shape, found.dtype) != (good.shape, good.dtype):
        return "SILENT"
    return "right" if tf.reduce_all(found == good) else "SILENT"


def table(way):
    return [[verdict(way, spoil, *place) for spoil in FAULTS.values()]
            for place in PLACES.values()]


def in_graph(function):
    return tf.function(function, autograph=False).get_concrete_function()()


eager = table(lambda function: function())
print(f"{'':11}", *(f"{fault:>8}" for fault in FAULTS))
for name, row in zip(PLACES, eager):
    print(f"{name:11}", *(f"{cell:>8}" for cell in row))
print("the same inside tf.function:", table(in_graph) == eager)
