"""upstream times local, for an upstream gradient that isn't 1."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x**2, grad


x = tf.constant([1.0, 2.0, 3.0])
upstream = tf.constant([1.0, 10.0, 100.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y, plain = square(x), x**2
rule = tape.gradient(y, x, upstream)
autodiff = tape.gradient(plain, x, upstream)
assert tf.reduce_all(rule == autodiff)
print("custom  ", rule.numpy())
print("autodiff", autodiff.numpy())
