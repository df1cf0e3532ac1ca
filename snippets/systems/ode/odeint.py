"""The adjoint of dy/dt = f(t, y, p): prey, predators and seasons."""

import tensorflow as tf


def rk4(f, state, t_0, t_1, steps=20):
    """One loop, so that XLA compiles a single step."""
    h = (t_1 - t_0) / steps

    def step(i, *state):
        t = t_0 + h * tf.cast(i, state[0].dtype)
        k1 = f(t, *state)
        k2 = f(t + h / 2.0, *[s + h / 2.0 * k for s, k in zip(state, k1)])
        k3 = f(t + h / 2.0, *[s + h / 2.0 * k for s, k in zip(state, k2)])
        k4 = f(t + h, *[s + h * k for s, k in zip(state, k3)])
        return i + 1, *[
            s + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
            for s, a, b, c, d in zip(state, k1, k2, k3, k4)]

    return tf.while_loop(
        lambda i, *_: i < steps, step, (0, *state),
        maximum_iterations=steps)[1:]


def once(gradients, *inputs):
    """Return the gradients; differentiating them raises an error."""
    parts = [tf.reshape(each, [-1]) for each in (*gradients, *inputs)]
    joined = tf.raw_ops.PreventGradient(
        input=tf.concat(parts, 0), message="one derivative only")
    parts = tf.split(joined, [tf.size(each) for each in parts])
    return [tf.reshape(part, tf.shape(each))
            for part, each in zip(parts, gradients)]


def odeint(f, T, solver=rk4):
    """The solution at T, as a function of the start and the parameters."""
    # truth: y_0 = 1.0 + 0.5 * tf.tanh(y_0); p = 1.0 + 0.3 * tf.tanh(p)
    # truth: y_0.shape == (2,); p.shape == (4,); within 1e-4
    # truth: first derivative only
    @tf.custom_gradient
    def solve(y_0, p):
        y_0, p = tf.identity(y_0), tf.identity(p)
        start, fixed = tf.stop_gradient(y_0), tf.stop_gradient(p)
        [y] = solver(lambda t, y: [f(t, y, fixed)], [start], 0.0, T)

        def grad(upstream):
            def backward(t, y, a, g):
                own = tf.identity(p)  # a tensor of this loop
                with tf.GradientTape() as tape:
                    tape.watch([y, own])
                    slope = f(t, y, own)
                by_y, by_p = map(tf.convert_to_tensor, tape.gradient(
                    slope, [y, own], a, unconnected_gradients="zero"))
                return slope, -by_y, -by_p

            start = [y, upstream, tf.zeros_like(p)]
            return once(solver(backward, start, T, 0.0)[1:], y_0, p)

        return y, grad

    return solve


def lotka_volterra(t, y, p):
    prey, predators = y[0], y[1]
    meet = prey * predators
    growth = p[0] + 0.3 * tf.sin(t)
    return tf.stack([growth * prey - p[1] * meet,
                     p[2] * meet - p[3] * predators])


y_0 = tf.constant([1.0, 0.5], tf.float64)
p = tf.constant([1.1, 0.9, 0.8, 1.0], tf.float64)
upstream = tf.constant([1.0, 10.0], tf.float64)
solve = odeint(lotka_volterra, 2.0)
with tf.GradientTape() as tape:
    tape.watch([y_0, p])
    y = solve(y_0, p)
downstream_y_0, downstream_p = tape.gradient(y, [y_0, p], upstream)


def forward(y_0, p):
    """The same solution without the custom gradient."""
    return rk4(lambda t, y: [lotka_volterra(t, y, p)], [y_0], 0.0, 2.0)[0]


def differences(of, count, h=1e-5):
    """Derivatives with respect to the start (0) or the parameters (1)."""
    for s in h * tf.eye(count, dtype=p.dtype):
        dy, dp = (s, 0.0) if of == 0 else (0.0, s)
        change = forward(y_0 + dy, p + dp) - forward(y_0 - dy, p - dp)
        yield round(float(tf.reduce_sum(upstream * change)) / (2.0 * h), 4)


print("y              =", y.numpy().round(4))
print("downstream_y_0 =", downstream_y_0.numpy().round(4).tolist())
print("differences    =", [*differences(0, 2)])
print("downstream_p   =", downstream_p.numpy().round(4).tolist())
print("differences    =", [*differences(1, 4)])
