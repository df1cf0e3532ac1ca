"""A pair, whose second item is a list."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: x.shape == []
@tf.custom_gradient
def product(x):
    def grad(upstream, variables):
        assert len(variables) == 1
        return upstream * w, [upstream * x]

    return w * x, grad


def plain(x):
    return w * x


x = tf.constant(3.0)
for function in product, plain:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    found = tape.gradient(y, [x, w])
    print(f"{function.__name__:7}", *[g.numpy() for g in found])
