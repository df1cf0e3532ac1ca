"""Deliberately wrong: a gradient too large for its input makes b grow."""

import tensorflow as tf


@tf.custom_gradient
def shift(x, b):
    def grad(upstream):
        return upstream, upstream

    return x + b, grad


def plain(x, b):
    return x + b


x = tf.zeros([2, 3])
targets = tf.constant([[0.0, 0.0, 0.0], [2.0, 4.0, 6.0]])
for name, function in (("custom", shift), ("autodiff", plain)):
    b = tf.zeros([3])
    for step in range(7):
        with tf.GradientTape() as tape:
            tape.watch(b)
            residual = function(x, b) - targets
            loss = 0.5 * tf.reduce_sum(residual**2)
        if step % 2 == 0:
            print(f"{name:8} step {step}  b {str(b.shape):6}"
                  f"  loss = {loss.numpy():.6f}")
        b = b - 0.5 * tape.gradient(loss, b)
