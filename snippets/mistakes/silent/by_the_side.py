"""The function returns every tensor that the loss uses."""

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    y = tf.identity(x)

    def grad(upstream_y, upstream_kept):
        return -upstream_y - upstream_kept

    return (y, y), grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y, kept = reverse(x)
gradient = tape.gradient(kept, x)
assert gradient == -1.0
print("custom ", gradient.numpy())
print("by hand", (-tf.ones_like(y)).numpy())
