"""The variable is read outside, and the rule is a function of its own."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: x.shape == w.shape
@tf.custom_gradient
def product(x, w):
    return w * x, lambda upstream: (upstream * w, upstream * x)


in_a_graph = tf.function(product)


def branch(x):
    value = tf.convert_to_tensor(w)
    return tf.cond(x > 0.0, lambda: in_a_graph(x, value), lambda: x)


def gradients(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, [x, w])


x = tf.constant(3.0)
for run in (gradients, tf.function(gradients)):
    print([float(g) for g in run(branch, x)])
print([float(g) for g in gradients(tf.function(branch), x)])
