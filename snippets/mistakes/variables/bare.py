"""A list of one gradient, for variables of several shapes."""

import tensorflow as tf


def with_variable(value):
    w = tf.Variable(value)

    # truth: x.shape == w.shape
    @tf.custom_gradient
    def product(x):
        def grad(upstream, variables):
            return upstream * w, [upstream * x]

        return w * x, grad

    return product, w


for value in 2.0, [2.0, 3.0], [2.0]:
    product, w = with_variable(value)
    x = 5.0 * tf.ones_like(w)
    for function in product, lambda x: w * x:
        with tf.GradientTape() as tape:
            y = function(x)
        gradient = tape.gradient(y, w)
        assert gradient.shape == w.shape
        print(w.shape, gradient.numpy().tolist())
