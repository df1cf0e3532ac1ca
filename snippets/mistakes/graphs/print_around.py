"""With a control dependency, the gradient waits for the print."""

import tensorflow as tf


@tf.custom_gradient
def probe(x):
    def grad(upstream):
        with tf.control_dependencies([tf.print("upstream =", upstream)]):
            return tf.identity(upstream)

    return tf.identity(x), grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.function(probe)(x)
print("gradient =", tape.gradient(y, x).numpy())
