"""Deliberately wrong: the Jacobian of a whole batch."""

import tensorflow as tf

x = tf.random.stateless_normal([50, 3], [1, 2])
w = tf.random.stateless_normal([3, 2], [3, 4])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.tanh(x @ w)
whole = tape.jacobian(y, x)
print("wrong", whole.shape, "numbers", tf.size(whole).numpy())
zeros = tf.reduce_mean(tf.cast(whole == 0, tf.float32))
print(f"zeros: {100 * zeros.numpy():.0f} %")
needed = y.shape[0] * y.shape[1] * x.shape[1]
print("needed", needed)
