"""Deliberately wrong: forward mode through tf.map_fn in a tf.function."""
# tracebook: raises TypeError

import tensorflow as tf


def mapped(x):
    return tf.map_fn(tf.square, x)


def derivative(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = mapped(x)
    return accumulator.jvp(y)


x = tf.constant([3.0, 5.0])
print("eager =", derivative(x).numpy())
tf.function(derivative, autograph=False)(x)
