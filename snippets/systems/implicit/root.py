"""Kepler's equation by Newton's method; grad calls kepler."""

import tensorflow as tf


def newton(x, k):
    """The y with y - k sin(y) = x, for 0 <= k < 1."""
    y = x + 0.85 * k * tf.sign(tf.sin(x))
    for _ in range(12):
        y -= (y - k * tf.sin(y) - x) / (1.0 - k * tf.cos(y))
    return y


# truth: 0 < k < 0.9; x.shape == k.shape
@tf.custom_gradient
def kepler(x, k):
    x, k = tf.identity(x), tf.identity(k)
    y = newton(tf.stop_gradient(x), tf.stop_gradient(k))

    def grad(upstream):
        y = kepler(x, k)
        w = upstream / (1.0 - k * tf.cos(y))
        return w, w * tf.sin(y)

    return y, grad


x, k = tf.constant(1.0, tf.float64), tf.constant(0.5, tf.float64)
with tf.GradientTape(persistent=True) as outer:
    outer.watch([x, k])
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = kepler(x, k)
    downstream_x, downstream_k = tape.gradient(y, [x, k])
print(f"y = {y:.8f}  y - k sin(y) = {y - k * tf.sin(y):.8f}")
h = 1e-4
for name, downstream, dx, dk in (
    ("x", downstream_x, h, 0.0),
    ("k", downstream_k, 0.0, h),
):
    plus, minus = (newton(x + s * dx, k + s * dk) for s in (1.0, -1.0))
    print(
        f"downstream_{name} = {downstream:.8f}"
        f"  differences = {(plus - minus) / (2 * h):.8f}"
    )
    print(
        f"  second       {outer.gradient(downstream, eval(name)):.6f}"
        f"    differences = {(plus - 2 * y + minus) / h**2:.6f}"
    )
