"""Deliberately wrong: grad has the signature of tf.RegisterGradient."""
# tracebook: raises TypeError

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(op, upstream):
        return upstream * 2.0 * op.inputs[0]

    return x**2, grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
tape.gradient(y, x)
