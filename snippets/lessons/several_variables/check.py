"""The custom gradient of z = x y against two independent gradients."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return upstream * y, upstream * x

    return x * y, grad


def custom(x, y):
    return tf.sin(product(x, product(x, y)))


def plain(x, y):
    return tf.sin(x * x * y)


def gradients(function, x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        loss = function(x, y)
    return [float(g) for g in tape.gradient(loss, [x, y])]


h = 1e-6
for point in ((2.0, 3.0), (-1.5, 0.5), (0.0, 2.0), (1.0, 1.0)):
    x, y = (tf.constant(value, tf.float64) for value in point)
    d_x = float(plain(x + h, y) - plain(x - h, y)) / (2 * h)
    d_y = float(plain(x, y + h) - plain(x, y - h)) / (2 * h)
    by_tape = gradients(custom, x, y), gradients(plain, x, y)
    print(f"x = {point[0]}  y = {point[1]}")
    for name, ours, autodiff, differences in zip("xy", *by_tape, (d_x, d_y)):
        print(f"  dL/d{name}: custom = {ours:10.6f}"
              f"  autodiff = {autodiff:10.6f}"
              f"  differences = {differences:10.6f}")
