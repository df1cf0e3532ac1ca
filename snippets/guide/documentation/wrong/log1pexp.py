"""Deliberately wrong: the documented custom gradient of log(1 + e^x)."""

import tensorflow as tf


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(upstream):
        local = 1.0 - 1.0 / (1.0 + e)
        return upstream * local

    return tf.math.log(1.0 + e), grad


def three(function, value):
    x = tf.constant(value)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    return y, first, outer.gradient(first, x)


print("             x          y      first     second")
for value in (-20.0, 0.0, 100.0):
    for name, function in (("official", log1pexp), ("right", tf.nn.softplus)):
        y, first, second = three(function, value)
        print(f"{name:8} {value:5.0f} {y:10.3g} {first:10.3g} {second:10.3g}")

x = tf.constant(0.0)
print(f"at 0, sigmoid of the input {tf.sigmoid(x):.3f},"
      f" sigmoid of the output {tf.sigmoid(log1pexp(x)):.3f}")
