"""Wrong on purpose: one tape for both orders, entered twice."""
# tracebook: raises ValueError

import tensorflow as tf

x = tf.constant(2.0)
tape = tf.GradientTape(persistent=True)
with tape:
    tape.watch(x)
    with tape:
        y = x ** 3.0
    first = tape.gradient(y, x)
second = tape.gradient(first, x)
