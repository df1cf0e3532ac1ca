"""Deliberately wrong: no pfor, and a batch that may be empty."""

import tensorflow as tf

x = tf.zeros([0, 3])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x**2
print("with pfor", tape.jacobian(y, x).shape)
# tracebook: raises ValueError
tape.jacobian(y, x, experimental_use_pfor=False)
