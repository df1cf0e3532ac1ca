"""Solution: the gradient of z = x / y in the loss z², at (3, 2)."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def quotient(x, y):
    z = x / y
    tf.print("forward  x =", x, " y =", y, " z =", z)

    def grad(upstream):
        local_x, local_y = 1.0 / y, -x / (y * y)
        downstream_x = upstream * local_x
        downstream_y = upstream * local_y
        tf.print("backward to x  upstream =", upstream,
                 " local =", local_x, " downstream =", downstream_x)
        tf.print("backward to y  upstream =", upstream,
                 " local =", local_y, " downstream =", downstream_y)
        return downstream_x, downstream_y

    return z, grad


def gradients(divide, x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        loss = divide(x, y) ** 2
    return [g.numpy().item() for g in tape.gradient(loss, [x, y])]


x = tf.constant(3.0)
y = tf.constant(2.0)
print("custom   =", gradients(quotient, x, y))
print("autodiff =", gradients(tf.divide, x, y))
