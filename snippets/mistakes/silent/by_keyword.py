"""A plain function with keywords calls the decorated one by position."""

import tensorflow as tf


def reverse(*, x):
    return _reverse(x)


# truth: upstream becomes -upstream
@tf.custom_gradient
def _reverse(x):
    def grad(upstream):
        calls.append(upstream)
        return -upstream

    return tf.identity(x), grad


calls = []
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = reverse(x=x)
gradient = tape.gradient(y, x)
assert calls, "grad was not called"
print("custom ", gradient.numpy())
print("by hand", (-tf.ones_like(y)).numpy())
