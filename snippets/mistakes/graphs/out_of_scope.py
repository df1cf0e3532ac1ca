"""A variable carries the norm out of the graph."""

import tensorflow as tf

seen = tf.Variable(0.0)


@tf.custom_gradient
def probe(x):
    def grad(upstream):
        with tf.control_dependencies([seen.assign(tf.norm(upstream))]):
            return tf.identity(upstream)

    return tf.identity(x), grad


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 3.0 * probe(x)
    return tape.gradient(y, x)


x = tf.constant(2.0)
print("gradient", gradient(x).numpy(), " seen", seen.numpy())
