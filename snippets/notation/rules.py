"""Formulas of this page and their gradients, at example inputs."""

import tensorflow as tf


def two_steps(V, W, x, y_bar):
    with tf.GradientTape() as tape:
        tape.watch(x)
        u = tf.linalg.matvec(W, x)
        y = tf.linalg.matvec(V, u)
    u_bar, x_bar = tape.gradient(y, [u, x], output_gradients=y_bar)
    return u_bar, x_bar


def linear(W, x, y_bar):
    with tf.GradientTape() as tape:
        tape.watch([W, x])
        y = tf.linalg.matvec(W, x)
    W_bar, x_bar = tape.gradient(y, [W, x], output_gradients=y_bar)
    return W_bar, x_bar


def elementwise(x, y_bar):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    x_bar = tape.gradient(y, x, output_gradients=y_bar)
    return x_bar


# truth: the gradient of tf.identity
@tf.custom_gradient
def decided(x):
    return tf.round(x), lambda upstream: upstream


V = tf.constant([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]])
W = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
x, y_bar = tf.constant([1.0, 2.0]), tf.constant([1.0, 10.0])
u_bar, x_bar = two_steps(V, W, x, y_bar)
print("two steps    u_bar", u_bar.numpy(), " x_bar", x_bar.numpy())
W_bar, x_bar = linear(W, x, tf.constant([1.0, 12.0, -10.0]))
print("a matrix     W_bar", W_bar.numpy().tolist(), " x_bar", x_bar.numpy())
print("elementwise  x_bar", elementwise(x, y_bar).numpy())
x = tf.constant([0.4, 2.7])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = decided(x)
print("rounding     x_bar", tape.gradient(y, x, y_bar).numpy())
x, y = tf.constant(2.0), tf.constant(3.0)
z = x * y
print("a product    z", z.numpy())
