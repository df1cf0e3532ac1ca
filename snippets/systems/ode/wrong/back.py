"""Deliberately wrong: a state that settles is solved backward."""
# tracebook: rel=1e-3

import tensorflow as tf


def rk4(f, state, T):
    h = T / 60.0
    for _ in range(60):
        k1 = f(*state)
        k2 = f(*[s + h / 2.0 * k for s, k in zip(state, k1)])
        k3 = f(*[s + h / 2.0 * k for s, k in zip(state, k2)])
        k4 = f(*[s + h * k for s, k in zip(state, k3)])
        state = [s + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
                 for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
    return state


def settle(k, y_0, T):
    # truth: 0 < k < 11; k.shape.rank == 0; within 1e-2
    # truth: first derivative only
    @tf.custom_gradient
    def solve(k):
        fixed = tf.stop_gradient(k)
        [y] = rk4(lambda y: [1.0 - fixed * y * y * y], [y_0], T)

        def grad(upstream):
            back, _, g = rk4(
                lambda y, a, g: (1.0 - k * y * y * y,
                                 3.0 * k * y * y * a, y * y * y * a),
                [y, upstream, tf.zeros_like(k)], -T)
            tf.print("T =", T, " start =", y_0, " comes back as", back)
            return g

        return y, grad

    return solve(k)


k, y_0 = tf.constant(10.0, tf.float64), tf.constant(0.2, tf.float64)
for T in (1.0, 4.0, 8.0):
    with tf.GradientTape() as tape:
        tape.watch(k)
        y = settle(k, y_0, T)
    with tf.GradientTape() as plain:
        plain.watch(k)
        [end] = rk4(lambda y: [1.0 - k * y * y * y], [y_0], T)
    print(f"  downstream_k = {tape.gradient(y, k):.5f}"
          f"  through the steps {plain.gradient(end, k):.5f}")
