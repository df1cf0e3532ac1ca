"""Wrong on purpose: nothing waits for the print of a rule."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def probe(x):
    def grad(upstream):
        tf.print("  upstream =", upstream)
        return upstream

    return tf.identity(x), grad


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("tape around the function")
print("  gradient =", gradient(tf.function(probe), x).numpy())
print("tape inside")
print("  gradient =", tf.function(lambda x: gradient(probe, x))(x).numpy())
