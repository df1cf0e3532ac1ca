"""Deliberately wrong: grad sums over the elements."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return tf.reduce_sum(upstream * 2.0 * x)

    return x * x, grad


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def fourth_power(x):
    return square(tf.square(x))


def doubled(x):
    return square(2.0 * x)


x = tf.constant([1.0, 2.0, 3.0])
alone = gradient(square).numpy()
print("square(x)       ", alone, " shape", alone.shape)
print("square(x**2)    ", gradient(fourth_power).numpy(),
      " but 4 x**3 =", (4.0 * x**3).numpy())
print("square(2x) graph", tf.function(gradient)(doubled).numpy(),
      " but 8 x =", (8.0 * x).numpy())
try:
    print("square(2x) eager", gradient(doubled).numpy())
except tf.errors.InvalidArgumentError as error:
    print("square(2x) eager InvalidArgumentError")
    print(" ", str(error).split("}} ")[-1].split(" [Op:")[0])
