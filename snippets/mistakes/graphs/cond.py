"""The tensor is an argument, and tf.function makes a graph of its own."""

import tensorflow as tf

scale = tf.constant(2.0)


# truth: x.shape == scale.shape
@tf.custom_gradient
def scaled(x, scale):
    return scale * x, lambda upstream: (upstream * scale, upstream * x)


in_a_graph = tf.function(scaled)


def branch(x):
    value = tf.identity(scale)
    return tf.cond(x > 0.0, lambda: in_a_graph(x, value), lambda: x)


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("eager      ", gradient(branch, x).numpy())
print("tape inside", tf.function(gradient)(branch, x).numpy())
print("tape around", gradient(tf.function(branch), x).numpy())
