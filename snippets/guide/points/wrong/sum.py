"""Deliberately wrong: max + min is x + y, and its gradient is not 1 and 1."""

import tensorflow as tf


def total(x, y):
    return tf.maximum(x, y) + tf.minimum(x, y)


for pair in ([1.0, 2.0], [2.0, 2.0], [3.0, 2.0]):
    x, y = map(tf.constant, pair)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = total(x, y)
    dx, dy = tape.gradient(z, [x, y])
    print("at", pair, " z =", z.numpy(), " gradient", dx.numpy(), dy.numpy())

x = tf.constant(0.0)
for name, function in (("x**0", lambda x: x**0.0),
                       ("relu(x) - relu(-x)",
                        lambda x: tf.nn.relu(x) - tf.nn.relu(-x))):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{name:18}  at 0  gradient {tape.gradient(y, x).numpy()}")
