"""The mean cost of a random bit, and estimates of its derivative."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "random figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
f = 0.2025, 0.3025  # the costs of a 0 and of a 1
theta = tf.linspace(-3.0, 5.0, 81)
u = tf.random.stateless_uniform([1000, 81], [1, 2])


def mean_cost(theta):
    return f[0] + tf.sigmoid(theta) * (f[1] - f[0])


def cost_of(z):
    return tf.where(z == 1.0, f[1], f[0])


def estimates(b):  # 20, each from 1000 bits
    p = tf.sigmoid(1.0)
    z = tf.cast(u[:, :20] < p, tf.float32)
    return tf.reduce_mean((cost_of(z) - b) * (z - p), 0).numpy()


one_each = cost_of(tf.cast(u[0] < tf.sigmoid(theta), tf.float32))
slopes = {float(b): estimates(b) for b in (-10.0, mean_cost(1.0))}
for b, each in slopes.items():
    print(f"baseline {b:6.2f}: slopes from {min(each):.3f} to {max(each):.3f}")

for suffix, ink, soft, *colors in (
        ("", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plot = plt.subplots(figsize=(4.7, 3.2), layout="tight")
    plot.plot(theta, one_each, "o", color=soft, ms=3)
    plot.plot(theta, mean_cost(theta), color=ink, lw=2)
    for each, color in zip(slopes.values(), colors):
        d = np.array([[-1.3], [1.3]]) / np.hypot(1.0, 34.0 * each)
        plot.plot(1.0 + d, mean_cost(1.0) + each * d, color=color, lw=1)
    for across, up, text, color in (
            (1.3, 0.209, "cost of one bit", soft),
            (3.3, 0.289, "mean cost", ink),
            (-2.9, 0.265, "20 estimates,\nbaseline −10", colors[0]),
            (2.35, 0.234, "20 estimates, with\nthe mean cost as\nthe baseline",
             colors[1])):
        plot.text(across, up, text, color=color)
    plot.set(xlabel="θ", title="cost", ylim=(0.195, 0.32), xticks=[-2, 1, 4],
             yticks=[0.2, 0.25, 0.3])
    bits, mean, *lines = (line.get_xydata() for line in plot.lines)
    assert set(bits[:, 1].round(4)) == set(f) and np.allclose(
        mean[:, 1], 0.2025 + 0.1 / (1.0 + np.exp(-mean[:, 0]))), (
        "One bit costs 0.20 or 0.30, but the mean rises smoothly with θ.")
    run, rise = np.diff(lines, axis=1)[:, 0].T
    wide, narrow = np.split(rise / run, 2)
    assert min(wide) < -0.1 and max(wide) > 0.1 and np.allclose(
        narrow, 0.0197, rtol=0.1), (
        "Lines at 1 estimate its slope: with the baseline −10, they point up"
        " and down; with the mean cost as the baseline, along the curve.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
