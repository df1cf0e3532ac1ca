"""One Jacobian for each output, from a persistent tape."""

import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    outputs = [x * x, x ** 3]
for y in outputs:
    print(tape.jacobian(y, x).numpy().tolist())
