"""The second derivative, with a row-by-row Jacobian or with a gradient."""

import tensorflow as tf


# truth: downstream becomes 0.1 * downstream
@tf.custom_gradient
def tenth(x):
    return tf.identity(x), lambda upstream: 0.1 * upstream


# truth: first derivative only
@tf.custom_gradient
def square(x):
    return 4.0 * x * x, lambda upstream: tenth(upstream * 8.0 * x)


def second(x, first):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = square(x)
        z = first(inner, y, x)
    return outer.gradient(z, x)


x = tf.constant(1.0)
by_rows = second(x, lambda tape, y, x: tape.jacobian(
    y, x, experimental_use_pfor=False))
by_gradient = second(x, lambda tape, y, x: tape.gradient(y, x))
tf.debugging.assert_near(by_rows, by_gradient)
print(by_rows.numpy(), by_gradient.numpy())
