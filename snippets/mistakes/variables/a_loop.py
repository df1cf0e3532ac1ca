"""The value is read outside the loop and passed."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    def grad(upstream):
        return upstream * w, upstream * x

    return w * x, grad


def power(function, x):
    value = tf.convert_to_tensor(w)
    return tf.while_loop(lambda n, y: n < 2,
                         lambda n, y: (n + 1, function(y, value)), [0, x])[1]


def gradients(run, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    return [g.numpy() for g in tape.gradient(y, [x, w])]


x = tf.constant(3.0)
in_graph = tf.function(lambda x: power(product, x))
print("eager   ", *gradients(lambda x: power(product, x), x))
print("graph   ", *gradients(in_graph, x))
print("autodiff", *gradients(lambda x: power(tf.multiply, x), x))
