"""A custom gradient with two outputs against two independent gradients."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def custom(x, y):
    def grad(upstream_z, upstream_w):
        return (upstream_z * (y + tf.cos(x)),
                upstream_z * x + upstream_w * 2.0 * y)

    return (x * y + tf.sin(x), y * y), grad


def plain(x, y):
    return x * y + tf.sin(x), y * y


def weighted(z, w):
    return 2.0 * z + 5.0 * w


def product(z, w):
    return z * w


def by_tape(function, loss, x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        value = loss(*function(x, y))
    return tape.gradient(value, [x, y])


def by_differences(loss, x, y, h=1e-5):
    def f(x, y):
        return loss(*plain(x, y))

    return ((f(x + h, y) - f(x - h, y)) / (2 * h),
            (f(x, y + h) - f(x, y - h)) / (2 * h))


for name, loss in (("2z + 5w", weighted), ("z w", product)):
    for point in ((2.0, 3.0), (-0.5, 1.5)):
        x, y = (tf.constant(value, tf.float64) for value in point)
        print(f"L = {name} at {point}")
        for way, (dx, dy) in (
                ("custom", by_tape(custom, loss, x, y)),
                ("autodiff", by_tape(plain, loss, x, y)),
                ("differences", by_differences(loss, x, y))):
            print(f"  {way:11}  dL/dx = {dx:10.6f}  dL/dy = {dy:10.6f}")
