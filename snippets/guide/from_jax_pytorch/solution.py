"""A port of register_hook: an identity that halves the gradient."""

import tensorflow as tf


# truth: upstream becomes 0.5 * upstream
@tf.custom_gradient
def half(y):
    def grad(upstream):
        downstream = 0.5 * upstream
        tf.print("upstream", upstream, " downstream", downstream)
        return downstream

    return tf.identity(y), grad


x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = half(x)
    loss = 9.0 * y
print("dL/dx", tape.gradient(loss, x).numpy())
