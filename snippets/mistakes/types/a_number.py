"""grad returns a tensor, computed from upstream."""

import tensorflow as tf


@tf.custom_gradient
def triple(x):
    def grad(upstream):
        return 3.0 * upstream

    return 3.0 * x, grad


def plain(x):
    return 3.0 * x


x = tf.constant(2.0)
for function in triple, plain:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x) + function(x)
    gradient = tape.gradient(y, x)
    assert tf.is_tensor(gradient)
    print(f"{function.__name__:6}", gradient.numpy())
