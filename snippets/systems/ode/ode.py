"""Growth at a rate: grad solves a second equation, backward in time."""

import tensorflow as tf


def rk4(f, state, T, steps=30):
    """The state after the time T, by the classical Runge-Kutta method."""
    h = T / steps
    for _ in range(steps):
        k1 = f(*state)
        k2 = f(*[s + h / 2.0 * k for s, k in zip(state, k1)])
        k3 = f(*[s + h / 2.0 * k for s, k in zip(state, k2)])
        k4 = f(*[s + h * k for s, k in zip(state, k3)])
        state = [s + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
                 for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
    return state


def once(gradients, *inputs):
    """Return the gradients; differentiating them raises an error."""
    parts = [tf.reshape(each, [-1]) for each in (*gradients, *inputs)]
    joined = tf.raw_ops.PreventGradient(
        input=tf.concat(parts, 0), message="one derivative only")
    parts = tf.split(joined, [tf.size(each) for each in parts])
    return [tf.reshape(part, tf.shape(each))
            for part, each in zip(parts, gradients)]


# truth: abs(k) < 1; k.shape.rank == 0; within 1e-4; first derivative only
@tf.custom_gradient
def grow(y_0, k):
    y_0, k = tf.identity(y_0), tf.identity(k)
    start, rate = tf.stop_gradient(y_0), tf.stop_gradient(k)
    [y] = rk4(lambda y: [rate * y], [start], T)

    def grad(upstream):
        def backward(y, a, g):
            return k * y, -k * a, -tf.reduce_sum(a * y)

        back, a, g = rk4(backward, [y, upstream, tf.zeros_like(k)], -T)
        tf.print("at the end    y =", y, " a =", upstream)
        tf.print("at the start  y =", back, " a =", a, " g =", g)
        return once([a, g], y_0, k)

    return y, grad


y_0, k = tf.constant(3.0, tf.float64), tf.constant(0.5, tf.float64)
T = 2.0
with tf.GradientTape() as tape:
    tape.watch([y_0, k])
    y = grow(y_0, k)
    loss = 10.0 * y
downstream_y_0, downstream_k = tape.gradient(loss, [y_0, k])
print(f"downstream_y_0 = {downstream_y_0:.4f}"
      f"  formula {10.0 * tf.exp(k * T):.4f}")
print(f"downstream_k   = {downstream_k:.4f}"
      f"  formula {10.0 * T * y_0 * tf.exp(k * T):.4f}")
