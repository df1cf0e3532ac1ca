"""The backward pass reads a factor that is assigned after the forward pass."""

import tensorflow as tf

factor = tf.Variable(1.0, trainable=False)


# truth: downstream becomes factor * downstream
@tf.custom_gradient
def scaled(x):
    def grad(upstream):
        return factor * upstream

    return tf.identity(x), grad


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(function(x) ** 2)
    factor.assign(1.0 / loss)
    return tape.gradient(loss, x)


inside = tf.function(lambda x: gradient(scaled, x))
in_graph = tf.function(scaled)
for values in [1.0, 2.0], [3.0, 4.0]:
    x = tf.constant(values)
    print("tape inside ", inside(x).numpy())
    print("tape outside", gradient(in_graph, x).numpy())
    print("by hand     ", (2.0 * x / tf.reduce_sum(x * x)).numpy())
