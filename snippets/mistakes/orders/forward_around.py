"""With the accumulator in the tf.function, both gradients are right."""

import tensorflow as tf


@tf.function
def jvp(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = x * x * x
    return accumulator.jvp(y)


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


@tf.function
def of_jvp(x):
    return gradient(jvp, x)


@tf.function
def of_product(x):
    return gradient(lambda x: jvp(x) * x, x)


x = tf.constant(0.7)
print(f"gradient of jvp: {of_jvp(x):.2f}  right: {6.0 * x:.2f}")
print(f"gradient of jvp * x: {of_product(x):.2f}  right: {9.0 * x * x:.2f}")
