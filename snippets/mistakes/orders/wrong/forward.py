"""Deliberately wrong: forward mode, and grad isn't the derivative."""

import tensorflow as tf


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def forward_mode(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y).numpy()


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = reverse(x)
print("tape:", tape.gradient(y, x).numpy())
print("forward mode, eager:", forward_mode(reverse, x))
print("forward mode, outside tf.function:",
      forward_mode(tf.function(reverse), x))
