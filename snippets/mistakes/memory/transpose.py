"""Forward mode through the function itself, without recompute_grad."""

import tensorflow as tf


def jvp(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


x = tf.constant(0.5)
recomputed = tf.recompute_grad(tf.tanh)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = recomputed(x)
print(f"backward {tape.gradient(y, x):.4f}")
print(f"forward  {jvp(tf.tanh, x):.4f}")
