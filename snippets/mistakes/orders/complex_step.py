"""Two tapes, or a complex step of the conjugated gradient."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    def grad(upstream):
        return upstream * tf.math.conj(3.0 * x * x)

    return x * x * x, grad


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.gradient(y, x)


x, h = tf.constant(2.0, tf.float64), 1e-20
with tf.GradientTape() as tape:
    tape.watch(x)
    first = slope(x)
print("two tapes:   ", tape.gradient(first, x).numpy())
z = tf.complex(x, tf.constant(h, x.dtype))
print("complex step:", (tf.math.imag(tf.math.conj(slope(z))) / h).numpy())
