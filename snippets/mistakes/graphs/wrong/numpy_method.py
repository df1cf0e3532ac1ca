"""Wrong on purpose: a rule asks for the NumPy value of a tensor."""
# tracebook: raises AttributeError

import tensorflow as tf


# truth: the rule is right; eager only; first derivative only
@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * (2.0 * x.numpy())

    return x * x, grad


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
gradient(x)
