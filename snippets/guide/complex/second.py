"""A Hessian times a vector, where both are complex."""

import tensorflow as tf


def show(name, value):
    tf.print(f"{name:14}", tf.strings.as_string(value, shortest=True))


@tf.custom_gradient
def abs4(z):
    def grad(upstream):
        factor = 4 * upstream * tf.abs(z) ** 2
        return tf.complex(factor, tf.zeros_like(factor)) * z

    return tf.abs(z) ** 4, grad


def slope(z):
    with tf.GradientTape() as tape:
        tape.watch(z)
        L = abs4(z)
    return tape.gradient(L, z)


def product(z, v):
    """The Hessian at z times v."""
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.math.real(tf.math.conj(v) * slope(z))
    y_bar = tf.ones_like(y)
    z_bar = tape.gradient(y, z, y_bar)
    return z_bar


def by_hand(z, v):
    size = tf.cast(tf.abs(z) ** 2, z.dtype)
    return 8 * size * v + 4 * z * z * tf.math.conj(v)


z = tf.constant(1 + 2j, tf.complex128)
v = tf.constant(3 - 1j, tf.complex128)
h = tf.constant(1e-4, tf.complex128)
show("gradient", slope(z))
show("H v", product(z, v))
show("by hand", by_hand(z, v))
difference = (slope(z + h * v) - slope(z - h * v)) / (2 * h)
error = tf.abs(difference / by_hand(z, v) - 1)
print("finite diff.   within 1e-6:", bool(error < 1e-6))
show("H (i v)", product(z, 1j * v))
show("i (H v)", 1j * product(z, v))
