"""A copy has the same value, but is a different tensor."""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    copy, x_before = tf.identity(x), x
    x = x + 1.0
print("copy    ", tape.gradient(y, copy))
print("new x   ", tape.gradient(y, x))
print("x_before", tape.gradient(y, x_before).numpy())
