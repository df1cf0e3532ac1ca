"""A plain function accepts keywords, and passes inputs by position."""

import tensorflow as tf


def product(x, y):
    return _product(x, y)


# truth: x.shape == y.shape
@tf.custom_gradient
def _product(x, y):
    def grad(upstream):
        return upstream * y, upstream * x

    return x * y, grad


def gradients(function):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = function(x, y=y)
    return tape.gradient(z, [x, y])


for name, function in (("custom", product), ("autodiff", tf.multiply)):
    in_graph = tf.function(lambda: gradients(function), autograph=False)()
    print(f"{name:8}", *[g.numpy() for g in gradients(function)],
          " in a graph:", *[g.numpy() for g in in_graph])
