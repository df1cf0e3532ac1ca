"""A rule for any equation dy/dt = f(y, p): prey and predators."""

import tensorflow as tf


def rk4(f, state, T, steps=20):
    h = T / steps
    for _ in range(steps):
        k1 = f(*state)
        k2 = f(*[s + h / 2.0 * k for s, k in zip(state, k1)])
        k3 = f(*[s + h / 2.0 * k for s, k in zip(state, k2)])
        k4 = f(*[s + h * k for s, k in zip(state, k3)])
        state = [s + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
                 for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
    return state


def odeint(f, T):
    """The solution at T, as a function of the start and the parameters."""
    # truth: y_0 = 1.0 + 0.5 * tf.tanh(y_0); p = 1.0 + 0.3 * tf.tanh(p)
    # truth: y_0.shape == (2,); p.shape == (4,); within 1e-4
    # truth: first derivative only
    @tf.custom_gradient
    def solve(y_0, p):
        start, fixed = tf.stop_gradient(y_0), tf.stop_gradient(p)
        [y] = rk4(lambda y: [f(y, fixed)], [start], T)

        def grad(upstream):
            def backward(y, a, g):
                with tf.GradientTape() as tape:
                    tape.watch([y, p])
                    slope = f(y, p)
                by_y, by_p = tape.gradient(slope, [y, p], a)
                return slope, -by_y, -by_p

            start = [y, upstream, tf.zeros_like(p)]
            return rk4(backward, start, -T)[1:]

        return y, grad

    return solve


def lotka_volterra(y, p):
    prey, predators = y[0], y[1]
    meet = prey * predators
    return tf.stack([p[0] * prey - p[1] * meet,
                     p[2] * meet - p[3] * predators])


y_0 = tf.constant([1.0, 0.5], tf.float64)
p = tf.constant([1.1, 0.9, 0.8, 1.0], tf.float64)
upstream = tf.constant([1.0, 10.0], tf.float64)
solve = odeint(lotka_volterra, 2.0)
with tf.GradientTape() as tape:
    tape.watch([y_0, p])
    y = solve(y_0, p)
downstream_y_0, downstream_p = tape.gradient(y, [y_0, p], upstream)


def differences(of, count, h=1e-5):
    """The slopes by the start (0) or by the parameters (1)."""
    for s in h * tf.eye(count, dtype=p.dtype):
        dy, dp = (s, 0.0) if of == 0 else (0.0, s)
        change = solve(y_0 + dy, p + dp) - solve(y_0 - dy, p - dp)
        yield round(float(tf.reduce_sum(upstream * change)) / (2.0 * h), 4)


print("y              =", y.numpy().round(4))
print("downstream_y_0 =", downstream_y_0.numpy().round(4).tolist())
print("differences    =", [*differences(0, 2)])
print("downstream_p   =", downstream_p.numpy().round(4).tolist())
print("differences    =", [*differences(1, 4)])
