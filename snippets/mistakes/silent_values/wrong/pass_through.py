"""Deliberately wrong: grad_pass_through around a change of shape."""

import tensorflow as tf


def total(x):
    return tf.grad_pass_through(tf.reduce_sum)(x)


x = tf.constant([1.0, 2.0, 3.0])
for function in total, tf.reduce_sum:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{function.__name__:10}", tape.gradient(y, x).numpy())
