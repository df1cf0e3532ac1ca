"""The first derivative becomes a tensor, within the outer tape."""

import tensorflow as tf


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [0, 0]) ** 2.0
    return tf.convert_to_tensor(tape.gradient(y, x))


x = tf.constant([5.0, 6.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    first = gradient(x)
print("first: ", first.numpy())
second = tf.convert_to_tensor(tape.gradient(first, x))
print("second:", second.numpy())
difference = (gradient(x + 1.0) - gradient(x - 1.0)) / 2.0
print("difference of gradients:", difference.numpy())
