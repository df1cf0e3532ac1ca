"""A persistent tape computes a gradient for each row."""

import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
print(tape.jacobian(y, x, experimental_use_pfor=False).numpy().tolist())
