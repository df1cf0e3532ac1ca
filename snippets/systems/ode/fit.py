"""Lotka and Volterra's equation, fitted to noisy counts."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "ode fit"
from matplotlib import pyplot as plt

H, STEPS = 0.25, 2


def rk4(f, state, h):
    for _ in range(STEPS):
        k1 = f(*state)
        k2 = f(*[s + h / 2.0 * k for s, k in zip(state, k1)])
        k3 = f(*[s + h / 2.0 * k for s, k in zip(state, k2)])
        k4 = f(*[s + h * k for s, k in zip(state, k3)])
        state = [
            s + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
            for s, a, b, c, d in zip(state, k1, k2, k3, k4)
        ]
    return state


def f(y, p):
    prey, predators = y[0], y[1]
    meet = prey * predators
    return tf.stack([p[0] * prey - p[1] * meet,
                     p[2] * meet - p[3] * predators])


# truth: y = 1.0 + 0.5 * tf.tanh(y); p = 1.0 + 0.3 * tf.tanh(p)
# truth: y.shape == (2,); p.shape == (4,); within 1e-3; first derivative only
@tf.custom_gradient
def segment(y, p):
    """From one count to the next."""
    fixed = tf.stop_gradient(p)
    [end] = rk4(lambda y: [f(y, fixed)], [tf.stop_gradient(y)], H)

    def grad(upstream):
        own = tf.identity(p)

        def backward(y, a, g):
            with tf.GradientTape() as tape:
                tape.watch([y, own])
                slope = f(y, own)
            by_y, by_p = tape.gradient(slope, [y, own], a)
            return slope, -by_y, -by_p

        return rk4(backward, [end, upstream, tf.zeros_like(p)], -H)[1:]

    return end, grad


def simulate(y_0, p):
    return tf.scan(lambda y, _: segment(y, p), tf.range(COUNTS), y_0)


COUNTS = 24
rng = np.random.default_rng(0)
p_true = tf.constant([1.1, 0.9, 0.8, 1.0], tf.float64)
clean = tf.function(simulate)(tf.constant([1.0, 0.5], tf.float64), p_true)
data = clean * np.exp(0.08 * rng.standard_normal(clean.shape))
start = np.log([0.7, 0.7, 0.8, 1.2, 0.6, 1.3])
logs = tf.Variable(start)
optimizer = tf.keras.optimizers.Adam(0.03)


@tf.function
def step():
    with tf.GradientTape() as tape:
        values = tf.exp(logs)
        found = simulate(values[:2], values[2:])
        loss = tf.reduce_mean((tf.math.log(found) - np.log(data)) ** 2)
    return loss, tape.gradient(loss, logs), found


print(f"{COUNTS} counts of each")
before = step()[2]
for i in range(201):
    loss, gradient, found = step()
    if i % 100 == 0:
        print(
            f"step {i:3d}  loss {loss:.5f}  norm of the gradient"
            f" {tf.norm(gradient):.5f}"
        )
        print("  y_0 and p =", np.exp(logs.numpy()).round(3))
    optimizer.apply_gradients([(gradient, logs)])
print("  true      =", np.array([1.0, 0.5, *p_true.numpy()]))

times = STEPS * H * np.arange(1, COUNTS + 1)
for file, ink, *colors in [
    ("fit", "#23262b", "#00707a", "#b0123d"),
    ("fit-dark", "#dfe1e6", "#66c9d1", "#ff8599"),
]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, plot = plt.subplots(figsize=(6, 3.2), layout="tight")
    for i, (name, color) in enumerate(zip(("prey", "predators"), colors)):
        for values, mark, what in ((data, "o", ", counted"),
                                   (before, ":", ", start"),
                                   (found, "-", ", fitted")):
            plot.plot(times, values[:, i], mark, color=color,
                      label=name + what)
    plot.set(title="prey and predators over time", ylim=(0.0, 7.0))
    plot.legend(frameon=False, fontsize=10, ncols=2, loc="upper left")
    drawn = {line.get_label(): np.log(line.get_ydata()) for line in plot.lines}
    off = {
        name: max(
            np.std(drawn[f"{who}, {name}"] - drawn[f"{who}, counted"])
            for who in ("prey", "predators")
        )
        for name in ("start", "fitted")
    }
    assert len(drawn) == 6 and all(
        len(plot.lines[0].get_xdata()) == COUNTS == 24 for _ in drawn
    ), "Prey and predators over time, 24 counts of each, in waves."
    assert off["start"] > 0.4, (
        "Dotted lines, the solution before the fit, run far from the counts."
    )
    assert off["fitted"] < 0.12, (
        "Solid lines, the solution after the fit, run through the counts.")
    figure.savefig(file + ".svg", transparent=True, metadata={"Date": None})
