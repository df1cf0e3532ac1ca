"""One gradient for each variable, found by its ref()."""

import tensorflow as tf

slope, offset = tf.Variable(2.0), tf.Variable(1.0)


# truth: x.shape == []
@tf.custom_gradient
def line(x):
    def grad(upstream, variables):
        found = {slope.ref(): upstream * x, offset.ref(): upstream}
        return upstream * slope, [found[v.ref()] for v in variables]

    return slope * x + offset, grad


def plain(x):
    return slope * x + offset


x = tf.constant(3.0)
for function in line, plain:
    with tf.GradientTape() as tape:
        y = function(x)
    found = tape.gradient(y, [slope, offset])
    print(f"{function.__name__:5}", *[g.numpy() for g in found])
