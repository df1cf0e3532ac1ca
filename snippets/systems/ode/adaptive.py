"""Adaptive steps: the adjoint and the tape, for some tolerances."""

import tensorflow as tf


def adaptive(f, state, t_0, t_1, tolerance):
    """Bogacki and Shampine's method of order 3, with adaptive steps."""
    sign = tf.cast(tf.sign(t_1 - t_0), state[0].dtype)

    def step(t, h, n, *state):
        h = sign * tf.minimum(h, tf.abs(t_1 - t))
        k1 = f(t, *state)
        k2 = f(t + h / 2.0, *[s + h / 2.0 * k for s, k in zip(state, k1)])
        k3 = f(t + 0.75 * h, *[s + 0.75 * h * k for s, k in zip(state, k2)])
        new = [s + h / 9.0 * (2.0 * a + 3.0 * b + 4.0 * c)
               for s, a, b, c in zip(state, k1, k2, k3)]
        k4 = f(t + h, *new)
        error = tf.stop_gradient(tf.reduce_max([
            tf.reduce_max(tf.abs(h * (b / 12.0 + c / 9.0 - 5.0 / 72.0 * a
                                      - d / 8.0)) / (1.0 + tf.abs(s)))
            for s, a, b, c, d in zip(state, k1, k2, k3, k4)]))
        fits = error <= tolerance
        scale = 0.9 * (tolerance / tf.maximum(error, 1e-30)) ** (1.0 / 3.0)
        return (tf.where(fits, t + h, t),
                tf.abs(h) * tf.clip_by_value(scale, 0.2, 5.0), n + 1,
                *[tf.where(fits, a, s) for a, s in zip(new, state)])

    t_0, t_1 = (tf.cast(t, state[0].dtype) for t in (t_0, t_1))
    t, _, n, *state = tf.while_loop(
        lambda t, *_: tf.not_equal(t, t_1), step,
        (t_0, tf.abs(t_1 - t_0) / 10.0, 0, *state), maximum_iterations=3000)
    tf.debugging.assert_equal(t, t_1, "too many steps")
    return n, state


def f(y, p):
    prey, predators = y[0], y[1]
    meet = prey * predators
    return tf.stack([p[0] * prey - p[1] * meet,
                     p[2] * meet - p[3] * predators])


@tf.function
def gradients(y_0, p, tolerance, tolerance_back):
    """The gradients of y at T: through the steps, and by the adjoint."""
    with tf.GradientTape() as tape:
        tape.watch([y_0, p])
        n, [y] = adaptive(lambda t, y: [f(y, p)], [y_0], 0.0, T, tolerance)
    through = tape.gradient(y, [y_0, p], upstream)

    def backward(t, y, a, g):
        own = tf.identity(p)
        with tf.GradientTape() as tape:
            tape.watch([y, own])
            slope = f(y, own)
        by_y, by_p = tape.gradient(slope, [y, own], a)
        return slope, -by_y, -by_p

    n_back, [_, *adjoint] = adaptive(
        backward, [y, upstream, tf.zeros_like(p)], T, 0.0, tolerance_back)
    return n, n_back, tf.concat(through, 0), tf.concat(adjoint, 0)


def off(found, right):
    return float(tf.norm(found - right) / tf.norm(right))


T = 5.0
y_0 = tf.constant([1.0, 0.5], tf.float64)
p = tf.constant([1.1, 0.9, 0.8, 1.0], tf.float64)
upstream = tf.constant([1.0, 10.0], tf.float64)
fine = tf.constant(1e-9, tf.float64)
*_, right, _ = gradients(y_0, p, fine, fine)
print("tolerance  steps forward, backward   tape     adjoint"
      "  adjoint solved to 1e-9")
for tolerance in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
    tolerance = tf.constant(tolerance, tf.float64)
    n, n_back, through, adjoint = gradients(y_0, p, tolerance, tolerance)
    exact = gradients(y_0, p, tolerance, fine)[3]
    print(f"{tolerance:9.0e}  {n:13d}  {n_back:8d}   {off(through, right):.1e}"
          f"  {off(adjoint, right):.1e}  {off(exact, right):.1e}")
