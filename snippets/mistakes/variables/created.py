"""The variable is made once, outside, and passed."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    def grad(upstream):
        return upstream * w, upstream * x

    return w * x, grad


def gradient(function, x):
    with tf.GradientTape() as tape:
        y = function(x, w)
    return tape.gradient(y, w)


x = tf.constant(3.0)
in_graph = tf.function(lambda x: gradient(product, x))
print("eager   ", gradient(product, x).numpy())
print("graph   ", in_graph(x).numpy())
print("autodiff", gradient(tf.multiply, x).numpy())
