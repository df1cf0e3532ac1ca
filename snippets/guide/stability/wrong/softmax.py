"""Deliberately wrong: softmax as exp(x - y), with y rounded to float32."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def logsumexp(x):
    y = tf.reduce_logsumexp(x)

    def grad(upstream):
        local = tf.exp(x - y)
        return upstream * local

    return y, grad


for far in (0.0, 1e3, 1e6, 1e7):
    x = tf.constant([far, far + 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = logsumexp(x)
    dx = tape.gradient(y, x)
    print(f"x = {far:.8g}, {far + 1.0:.8g}")
    print("  gradient =", *[f"{number:.4f}" for number in dx],
          f" sum = {tf.reduce_sum(dx):.4f}")
    print("  softmax  =",
          *[f"{number:.4f}" for number in tf.nn.softmax(x)])
