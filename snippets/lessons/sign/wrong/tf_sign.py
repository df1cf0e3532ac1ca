"""Deliberately wrong: the gradient of tf.sign is 0, so nothing learns."""

import tensorflow as tf

x = tf.constant([-3.0, -0.001, 0.0, 0.001, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.sign(x)
    loss = 0.5 * tf.reduce_sum((y + 1.0) ** 2)

print("x        =", x.numpy())
print("y        =", y.numpy())
print("gradient =", tape.gradient(loss, x).numpy())
