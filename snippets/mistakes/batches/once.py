"""One tape for several questions is persistent."""

import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, x).numpy().tolist())
print(tape.jacobian(y, x).numpy().tolist())
