"""tf.convert_to_tensor adds up the rows of each index."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        upstream = tf.convert_to_tensor(upstream)
        return upstream * 2.0 * x

    return x * x, grad


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(function(x), [0, 0, 1])
    return tape.gradient(y, x)


x = tf.constant([5.0, 6.0])
print("custom:", gradient(square, x).numpy())
print("x * x: ", gradient(lambda x: x * x, x).numpy())
