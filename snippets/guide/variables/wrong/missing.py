"""Deliberately wrong: grad does not accept the variable that is read."""
# tracebook: raises TypeError

import tensorflow as tf

w = tf.Variable(2.0, name="w")


@tf.custom_gradient
def product(x):
    def grad(upstream):
        return upstream * w

    return w * x, grad


print("no tape, no call of tape.gradient, and still:")
product(tf.constant(3.0))
