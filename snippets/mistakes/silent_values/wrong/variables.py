"""Deliberately wrong: gradients in the order in which variables are read."""

import tensorflow as tf

slope = tf.Variable(2.0, name="slope")
offset = tf.Variable(1.0, name="offset")


# truth: x.shape == []
@tf.custom_gradient
def line(x):
    def grad(upstream, variables):
        return upstream * slope, [upstream * x, upstream]

    return slope * x + offset, grad


def plain(x):
    return slope * x + offset


x = tf.constant(5.0)
for function in line, plain:
    with tf.GradientTape() as tape:
        y = tf.function(lambda x: function(x))(x)
    found = tape.gradient(y, [slope, offset])
    print(f"{function.__name__:5} to slope: {found[0].numpy()}"
          f"  to offset: {found[1].numpy()}")
