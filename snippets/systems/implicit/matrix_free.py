"""The adjoint without a matrix: each step of its solver is one VJP of F."""

import tensorflow as tf


def dot(p, q):
    return tf.reduce_sum(p * q, -1, keepdims=True)


def conjugate_residuals(times, b, steps):
    """The w with times(w) = b in each row, after as many VJPs as steps."""
    w, r, before = tf.zeros_like(b), b, []
    for _ in range(steps):
        p, q = r, times(r)
        for p_i, q_i in before:
            share = tf.math.divide_no_nan(dot(q, q_i), dot(q_i, q_i))
            p, q = p - share * p_i, q - share * q_i
        step = tf.math.divide_no_nan(dot(r, q), dot(q, q))
        w, r = w + step * p, r - step * q
        before.append((p, q))
    tf.debugging.assert_less_equal(
        tf.norm(r), 1e-6 * tf.norm(b), "the adjoint did not converge")
    return w


def condition(y, c, x):
    """Cells on a ring: each decays, and a wind c carries some to the next."""
    return y + y**3 + c * (y - tf.roll(y, 1, axis=-1)) - x


def find(c, x):
    y = tf.zeros_like(x)
    for _ in range(60):
        y = (x + c * tf.roll(y, 1, axis=-1)) / (1.0 + c + y * y)
    return y


# truth: c = 0.2 + 0.1 * tf.tanh(c); c.shape.rank == 0; x = tf.tanh(x)
# truth: x.shape.rank == 2; len(x[0]) > 1; first derivative only
# truth: within 1e-4
@tf.custom_gradient
def transported(c, x):
    y = find(tf.stop_gradient(c), tf.stop_gradient(x))

    def grad(upstream):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([y, c, x])
            F = condition(y, c, x)
        w = conjugate_residuals(
            lambda w: tape.gradient(F, y, output_gradients=w), upstream, 12)
        return [
            tf.raw_ops.PreventGradient(input=each, message="one derivative")
            for each in tape.gradient(F, [c, x], output_gradients=-w)]

    return y, grad


c = tf.constant(0.2, tf.float64)
x = tf.sin(tf.reshape(tf.range(2000, dtype=c.dtype), [2, 1000]))
with tf.GradientTape() as tape:
    tape.watch([c, x])
    y = transported(c, x)
    loss = tf.reduce_sum(y**3)
downstream_c, downstream_x = tape.gradient(loss, [c, x])
h, dx = 1e-5, tf.cos(3.0 * x)


def difference(dc, dx):
    plus, minus = find(c + dc, x + dx), find(c - dc, x - dx)
    return tf.reduce_sum(plus**3 - minus**3) / (2.0 * h)


print("A would have", 1000 * 1000, "elements in each row of the batch")
print(f"downstream_c = {downstream_c:.5f}"
      f"  differences = {difference(h, 0.0):.5f}")
print(f"downstream_x in one direction = {tf.reduce_sum(downstream_x * dx):.5f}"
      f"  differences = {difference(0.0, h * dx):.5f}")
