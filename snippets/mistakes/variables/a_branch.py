"""The value is read outside the branch and passed."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    def grad(upstream):
        return upstream * w, upstream * x

    return w * x, grad


product_in_a_graph = tf.function(product)


def branched(x):
    value = tf.convert_to_tensor(w)
    return tf.cond(x > 0.0, lambda: product_in_a_graph(x, value),
                   lambda: x)


def gradients(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return [g.numpy() for g in tape.gradient(y, [x, w])]


x = tf.constant(3.0)
print("eager   ", *gradients(branched, x))
print("graph   ", *gradients(tf.function(branched), x))
print("autodiff", *gradients(lambda x: w * x, x))
