"""tf.where chooses for each element."""

import tensorflow as tf


@tf.custom_gradient
def leaky(x):
    def grad(upstream):
        return tf.where(x > 0, upstream, 0.25 * upstream)

    return tf.nn.leaky_relu(x, 0.25), grad


def plain(x):
    return tf.nn.leaky_relu(x, 0.25)


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant([-1.0, 1.0])
print("eager   ", gradient(leaky, x).numpy())
print("graph   ", tf.function(gradient)(lambda x: leaky(x), x).numpy())
print("autodiff", gradient(plain, x).numpy())
