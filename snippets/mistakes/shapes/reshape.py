"""Each gradient has its input's shape, for all shapes that broadcast."""

import tensorflow as tf


@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return (fitted(upstream * factor, x), fitted(upstream * x, factor))

    return x * factor, grad


def fitted(gradient, x):
    """The gradient, summed over the axes along which x was copied."""
    axes, _ = tf.raw_ops.BroadcastGradientArgs(
        s0=tf.shape(x), s1=tf.shape(gradient))
    return tf.reshape(tf.reduce_sum(gradient, axes), tf.shape(x))


x, factors = tf.ones([2, 3]), tf.constant([2.0])
for name, function in (("custom", scaled), ("autodiff", tf.multiply)):
    with tf.GradientTape() as tape:
        tape.watch(factors)
        y = function(x, tf.reshape(factors, []))
    print(f"{name:8}", tape.gradient(y, factors).numpy())
