"""Deliberately wrong: grad returns a tensor of the forward pass."""

import tensorflow as tf


# truth: the rule is right; x.shape == scale.shape
@tf.custom_gradient
def signed(x, scale):
    nothing = tf.zeros_like(scale)

    def grad(upstream):
        return upstream * tf.sign(scale), nothing

    return x * tf.sign(scale), grad


x, scale = tf.constant(2.0), tf.constant(-3.0)
for function in signed, tf.function(signed):
    try:
        with tf.GradientTape() as tape:
            tape.watch([x, scale])
            y = function(x, scale)
        print(*[each.numpy() for each in tape.gradient(y, [x, scale])])
    except tf.errors.InvalidArgumentError as error:
        _, _, message = str(error).splitlines()[0].partition(" is ")
        print(type(error).__name__, message)
