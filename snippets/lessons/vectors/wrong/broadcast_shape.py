"""Deliberately wrong: a scalar's gradient that keeps the broadcast shape."""

import tensorflow as tf


@tf.custom_gradient
def scale(a, x):
    def grad(upstream):
        return upstream * x, upstream * a

    return a * x, grad


a = tf.Variable(2.0)
x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    custom = scale(a, x)
    plain = a * x
right = tape.gradient(plain, a)
wrong = tape.gradient(custom, a)
print("plain: ", right.numpy(), " shape", right.shape)
print("custom:", wrong.numpy(), " shape", wrong.shape)

try:
    a.assign_sub(0.1 * wrong)
except tf.errors.InvalidArgumentError as error:
    message = str(error).split("}} ")[-1].split(" [Op:")[0]
    print(type(error).__name__)
    print(" ", message)
