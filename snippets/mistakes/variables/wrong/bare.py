"""Deliberately wrong: the gradient of the variable is a bare tensor."""

import tensorflow as tf


def with_variable(value):
    w = tf.Variable(value)

    @tf.custom_gradient
    def product(x):
        def grad(upstream, variables):
            return upstream * w, upstream * x

        return w * x, grad

    return product, w


for value in 2.0, [2.0, 3.0], [2.0]:
    product, w = with_variable(value)

    def gradient(x):
        with tf.GradientTape() as tape:
            y = product(x)
        return tape.gradient(y, w)

    for run in gradient, tf.function(gradient, autograph=False):
        place = "eager" if run is gradient else "graph"
        try:
            print(place, w.shape, run(tf.ones_like(w)).numpy())
        except Exception as error:
            message = str(error).strip().splitlines()[0]
            print(f"{place} {w.shape}: {type(error).__name__}: {message}")
