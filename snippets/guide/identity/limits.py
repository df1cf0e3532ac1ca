"""One upstream gradient, clipped by value and by norm at several limits."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "identity limits"
from matplotlib import pyplot as plt


def back_through(change):
    # truth: upstream becomes change(upstream); x.shape.rank == 1
    # truth: dense upstream
    @tf.custom_gradient
    def identity(x):
        return tf.identity(x), change

    return identity


def gradient(change):
    x = tf.constant([1.5, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = back_through(change)(x)
        L = tf.reduce_sum(y * y)
    return tape.gradient(L, x).numpy()


limit = 2.0
upstream = gradient(lambda u: u)
rings = [gradient(lambda u: tf.clip_by_value(u, -limit, limit)),
         gradient(lambda u: tf.clip_by_norm(u, limit))]
taus = np.linspace(5.0, 0.0, 51, dtype=np.float32)
paths = {
    "by value": [gradient(lambda u, tau=tau: tf.clip_by_value(u, -tau, tau))
                 for tau in taus],
    "by norm": [gradient(lambda u, tau=tau: tf.clip_by_norm(u, tau))
                for tau in taus],
}
for tau in 5, 4, 3, 2, 1:
    print("limit", tau, *(f" {way} {path[50 - 10 * tau].round(1)}"
                          for way, path in paths.items()))


def draw(name, ink, soft, above, *colors):
    figure, plot = plt.subplots(figsize=(4.2, 4.4), layout="tight")
    for (way, path), color, mark, side in zip(
            paths.items(), colors, "so", ("left", "right")):
        a, b = np.transpose(path)
        plot.plot(a, b, color=color, lw=1.5)
        plot.plot(a[::10], b[::10], mark, color=color, ms=6)
        shift = 0.2 if side == "left" else -0.2
        word = {"color": color, "fontsize": 12, "ha": side, "va": "center"}
        for tau in (1, 2, 3) if way == "by value" else (1, 2, 3, 4):
            plot.text(a[50 - 10 * tau] + shift, b[50 - 10 * tau],
                      f"τ = {tau}", **word)
        plot.text(2.3 + 3 * shift, 1.7 if side == "left" else 2.85, way,
                  weight="bold", **word)
    plot.plot(*upstream, "o", color=above, ms=10)
    plot.scatter(*np.transpose(rings), s=160, fc="none", ec=colors, lw=2)
    plot.text(3.0, 4.3, "upstream", color=above, fontsize=12, ha="center")
    plot.set(xlim=(-0.4, 4.2), ylim=(-0.4, 4.7), aspect=1,
             xticks=range(5), yticks=range(5))
    plot.set_xlabel("first number", color=ink, fontsize=12)
    plot.set_ylabel("second number", color=ink, fontsize=12)
    plot.tick_params(colors=ink, labelsize=11)
    plot.spines[:].set_color(soft)
    by_value, at_value, by_norm, at_norm, point = (
        line.get_xydata() for line in plot.lines)
    assert point.tolist() == [[3, 4]] and all(
        np.allclose(path[[0, -1]], [[3, 4], [0, 0]])
        for path in (by_value, by_norm)), (
        "Two paths in the plane of both numbers, from upstream at 3, 4 to 0,"
        " 0.")
    assert np.allclose(by_norm[:, 1] * 3, by_norm[:, 0] * 4) and np.allclose(
        np.linalg.norm(at_norm[1:], axis=1), [4, 3, 2, 1, 0]), (
        "By norm: a straight line, with marks at the distances 4, 3, 2 and 1"
        " from 0, 0.")
    assert at_value.tolist() == [[3, 4], [3, 4], [3, 3], [2, 2], [1, 1],
                                 [0, 0]], (
        "By value: straight down to 3, 3, and from there along the diagonal"
        " through 2, 2 and 1, 1.")
    (a, b), (c, d) = plot.collections[0].get_offsets().round(3)
    assert a == min(3, limit) and b == min(4, limit) and np.isclose(
        np.hypot(c, d), limit) and np.isclose(c * 4, d * 3), (
        f"Two rings mark the limit {limit:g}: by value at {a:g}, {b:g}, and"
        f" by norm at {c:g}, {d:g}.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("limits.svg", "#23262b", "#5a5e66", "#a8400a", "#7a3fa0", "#00707a")
draw("limits-dark.svg", "#dfe1e6", "#a6abb6", "#ffa366", "#cfa0ee", "#66c9d1")
