"""inner.gradient is called while the outer tape is open."""

import tensorflow as tf

x = tf.constant(2.0)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x ** 3.0
    first = inner.gradient(y, x)
second = outer.gradient(first, x)
print("two tapes:", first.numpy(), second.numpy())
assert second is not None
