"""The value of sign, with the derivative of the sigmoid."""

import tensorflow as tf


# truth: the gradient of tf.sigmoid
@tf.custom_gradient
def sign(x):
    y = tf.sign(x)
    tf.print("forward  x =", x, " y =", y)

    def grad(upstream):
        y_tilde = tf.sigmoid(x)
        local = y_tilde * (1.0 - y_tilde)
        downstream = upstream * local
        tf.print("backward x =", x, " upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return y, grad


for value in (3.0, 0.0):
    x = tf.constant(value)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sign(x)
    print("alone:   gradient =", tape.gradient(y, x).numpy())

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sign(x)
        loss = 0.5 * (y + 1.0) ** 2
    gradient = tape.gradient(loss, x)
    print("in loss: loss =", loss.numpy(), " gradient =", gradient.numpy())
