"""The custom gradient against autodiff and one-sided finite differences."""

import tensorflow as tf


@tf.custom_gradient
def bend(x):
    def grad(upstream):
        return tf.where(x > 0.0, 2.0 * upstream, upstream)

    return tf.where(x > 0.0, 2.0 * x, x), grad


def plain(x):
    return tf.where(x > 0.0, 2.0 * x, x)


def loss(function, x):
    return 0.5 * (function(x) - 3.0) ** 2


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(function, x)
    return tape.gradient(value, x).numpy()


h = 1e-7
print("   x   custom  autodiff  from the left  from the right")
for point in (-1.0, 0.0, 1.0):
    x = tf.constant(point, tf.float64)
    left = (loss(plain, x) - loss(plain, x - h)) / h
    right = (loss(plain, x + h) - loss(plain, x)) / h
    print(f"{point:4}  {gradient(bend, x):7.4f}   {gradient(plain, x):7.4f}"
          f"        {left.numpy():7.4f}         {right.numpy():7.4f}")
