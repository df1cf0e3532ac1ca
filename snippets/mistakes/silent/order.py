"""Each gradient function captures the input of its own call."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x**2, grad


def branches(square, x):
    return square(2.0 * x) + 3.0 * square(4.0 * x)


x = tf.constant(1.0)
gradients = []
for each in square, tf.square:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = branches(each, x)
    gradients.append(tape.gradient(y, x).numpy())
assert gradients[0] == gradients[1]
print(f"branches {gradients[0]} right: {gradients[1]}")
