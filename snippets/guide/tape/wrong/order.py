"""Deliberately wrong: a gradient function that relies on the call order."""

import tensorflow as tf

kept = []


@tf.custom_gradient
def square(x):
    kept.append(x)
    tf.print("  forward  x =", x)

    def grad(upstream):
        last = kept.pop()
        tf.print("  backward x =", x, " popped", last)
        return upstream * 2.0 * last

    return x * x, grad


def gradient(function, square):
    kept.clear()
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(square, x)
    return tape.gradient(y, x).numpy()


for name, function in (
        ("square(square(2 x))", lambda square, x: square(square(2.0 * x))),
        ("square(2 x) + 3 square(4 x)",
         lambda square, x: square(2.0 * x) + 3.0 * square(4.0 * x))):
    print(f"{name}: right is {gradient(function, tf.square):g}")
    print("  gradient", gradient(function, square))
