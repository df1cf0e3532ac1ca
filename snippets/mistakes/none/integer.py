"""An integer has no gradient, and the float made from it has one."""

import tensorflow as tf

n = tf.constant(3)
with tf.GradientTape(persistent=True) as tape:
    x = tf.cast(n, tf.float32)
    tape.watch([n, x])
    y = x * x
print("integer n", tape.gradient(y, n))
print("float x  ", tape.gradient(y, x).numpy())
