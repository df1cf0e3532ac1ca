"""Two gradients of one solve over its steps, and their errors."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "ode adjoints"
from matplotlib import pyplot as plt


def rk4(f, state, h, steps):
    def one(i, *state):
        k1 = f(*state)
        k2 = f(*[s + h / 2.0 * k for s, k in zip(state, k1)])
        k3 = f(*[s + h / 2.0 * k for s, k in zip(state, k2)])
        k4 = f(*[s + h * k for s, k in zip(state, k3)])
        return i + 1, *[
            s + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
            for s, a, b, c, d in zip(state, k1, k2, k3, k4)
        ]

    return tf.while_loop(lambda i, *_: i < steps, one, (0, *state))[1:]


def slope(y):
    prey, predators = tf.unstack(y)
    meet = prey * predators
    return [tf.stack([1.1 * prey - 0.9 * meet, 0.8 * meet - predators])]


def backward(y, a):
    with tf.GradientTape() as tape:
        tape.watch(y)
        [value] = slope(y)
    return value, -tape.gradient(value, y, a)


@tf.function
def gradients(y_0, h, steps):
    """Through the steps, and by the equation of the adjoint."""
    with tf.GradientTape() as tape:
        tape.watch(y_0)
        [y] = rk4(slope, [y_0], h, steps)
    discrete = tape.gradient(y, y_0, upstream)
    return y, discrete, rk4(backward, [y, upstream], -h, steps)[1]


def both(y_0, steps):
    h = tf.constant(5.0, y_0.dtype) / steps
    return gradients(y_0, h, tf.constant(steps))


def differences(steps, h=1e-5):
    moved = [
        [both(y_0 + sign * s, steps)[0] for sign in (1.0, -1.0)]
        for s in h * tf.eye(2, dtype=y_0.dtype)
    ]
    return tf.stack([tf.reduce_sum(upstream * (up - down)) / (2.0 * h)
                     for up, down in moved])


y_0 = tf.constant([1.0, 0.5], tf.float64)
upstream = tf.constant([1.0, 10.0], tf.float64)
exact, counts = both(y_0, 4000)[1], [2**k for k in range(3, 11)]
errors = {
    name: []
    for name in (
        "through the steps, of the solution",
        "adjoint, of the solution",
        "adjoint, of what was computed",
        "through the steps, of what was computed",
    )
}
for steps in counts:
    _, discrete, continuous = both(y_0, steps)
    computed = differences(steps)
    for name, found, right in zip(
        errors,
        (discrete, continuous, continuous, discrete),
        (exact, exact, computed, computed),
    ):
        errors[name].append((tf.norm(found - right) / tf.norm(right)).numpy())
print("relative error with", counts[1], "and", counts[3], "steps")
for name, found in errors.items():
    print(f"{name:40}", *(f"{found[i]:.0e}" if found[i] > 1e-8 else
                          "below 1e-8" for i in (1, 3)))

for file, ink, *colors in [
    ("adjoints", "#23262b", "#b0123d", "#00707a", "#7a3fa0", "#8a8f98"),
    ("adjoints-dark", "#dfe1e6", "#ff8599", "#66c9d1", "#cfa0ee", "#8a8f98"),
]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, plot = plt.subplots(figsize=(6, 3.6), layout="tight")
    for (label, found), color, mark in zip(errors.items(), colors, "osv."):
        plot.loglog(counts, found, mark + "-", color=color, label=label)
    plot.set_title("relative error of the gradient, over steps")
    plot.legend(frameon=False, fontsize=10)
    drawn = {line.get_label(): np.array(line.get_ydata())
             for line in plot.lines}
    *three, flat = drawn.values()
    assert plot.get_xscale() == plot.get_yscale() == "log" and (
        counts[0] == 8 and counts[-1] == 1024
    ), (
        "Relative error of the gradient over 8 to 1024 steps, both axes"
        " logarithmic.")
    assert all(3.5 < np.log2(each[2] / each[4]) / 2 < 4.6 for each in three), (
        "Three lines fall side by side, by a factor of 16 for twice the steps:"
        " the errors of both gradients against the true solution, and the"
        " error of the adjoint against the computed solution."
    )
    assert max(flat) < 1e-8, (
        "The error of the gradient through the steps against the computed"
        " solution is flat at the bottom, for any number of steps."
    )
    figure.savefig(file + ".svg", transparent=True, metadata={"Date": None})
