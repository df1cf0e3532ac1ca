"""No custom gradient: one step of Newton's method from the solution."""

import tensorflow as tf


def newton_step(y, x, k):
    return y - (y - k * tf.sin(y) - x) / (1.0 - k * tf.cos(y))


def kepler(x, k, steps):
    """Solve without the tape, then take steps that it records."""
    y = tf.stop_gradient(x)
    for _ in range(12):
        y = tf.stop_gradient(newton_step(y, x, k))
    for _ in range(steps):
        y = newton_step(y, x, k)
    return y


x, k = tf.constant(1.0, tf.float64), tf.constant(0.5, tf.float64)
for steps in range(4):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = kepler(x, k, steps)
        first = tape.gradient(y, x, unconnected_gradients="zero")
    second = outer.gradient(first, x, unconnected_gradients="zero")
    print(f"steps {steps}  y = {y:.6f}  first = {first:.6f}"
          f"  second = {second:.6f}")
local = 1.0 - k * tf.cos(y)
print(
    f"right     y = {y:.6f}  first = {1.0 / local:.6f}"
    f"  second = {-k * tf.sin(y) / local**3:.6f}"
)
