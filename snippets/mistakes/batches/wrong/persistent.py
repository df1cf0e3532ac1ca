"""Deliberately wrong: a Jacobian row by row, the tape isn't persistent."""
# tracebook: raises RuntimeError

import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.jacobian(y, x, experimental_use_pfor=False)
