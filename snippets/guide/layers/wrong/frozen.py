"""Deliberately wrong: a constant mean and standard deviation."""

import tensorflow as tf


def mean(x):
    return tf.reduce_mean(x, axis=-1, keepdims=True)


@tf.custom_gradient
def normalize(x):
    c = x - mean(x)
    s = tf.sqrt(mean(c * c))

    def grad(upstream):
        return upstream / s

    return c / s, grad


def plain(x):
    c = x - mean(x)
    return c / tf.sqrt(mean(c * c))


x = tf.constant([[1.0, 2.0, 6.0]], tf.float64)
for function in (normalize, plain):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(function(x))
    gradient = tape.gradient(loss, x).numpy().round(6) + 0.0
    print(f"{function.__name__:10} {gradient.tolist()}")

x = tf.constant([[5.0, 5.0, 5.0]], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = plain(x)
print("plain, at a constant row:", tape.gradient(y, x).numpy().tolist())
