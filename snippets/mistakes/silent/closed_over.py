"""Each tensor that needs a gradient is an argument."""

import tensorflow as tf


# truth: x.shape == factor.shape
@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return upstream * factor, upstream * x

    return x * factor, grad


x, factor = tf.constant(3.0), tf.constant(2.0)
for function in scaled, tf.multiply:
    with tf.GradientTape() as tape:
        tape.watch([x, factor])
        y = function(x, factor)
    gradients = tape.gradient(y, [x, factor])
    assert None not in gradients
    print(f"{function.__name__:8}", *[g.numpy() for g in gradients])
