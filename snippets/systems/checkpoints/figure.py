"""Tensors alive at once and steps run, as a chain gets deeper; with theory."""

import math
import weakref

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "memory figure"
from matplotlib import pyplot as plt

count = {}


def advance(x, length):
    for _ in range(length):
        x = tf.sin(x)
        count["run"] += 1
        count["alive"] += 1
        count["most"] = max(count["most"], count["alive"])
        weakref.finalize(
            x, lambda: count.update(alive=count["alive"] - 1))
    return x


def reverse(x, parts, upstream):
    if not parts:
        return upstream * tf.cos(x)
    starts, length = [x], math.prod(parts[1:])
    for _ in range(parts[0] - 1):
        starts.append(advance(starts[-1], length))
    while starts:
        upstream = reverse(starts.pop(), parts[1:], upstream)
    return upstream


depths, counted = 4 ** np.arange(1, 6), {}
for name, cut in {
        "one level": lambda n: [n],
        "two levels": lambda n: [round(n**0.5)] * 2,
        "halves": lambda n: [2] * round(math.log2(n))}.items():
    counted[name] = []
    for n in depths:
        count.update(run=0, alive=0, most=0)
        parts = cut(int(n))
        advance(tf.constant(1.0), math.prod(parts))
        count.update(most=0)
        reverse(tf.constant(1.0), parts, tf.constant(1.0))
        counted[name].append((count["most"], count["run"]))
    print(f"{name:10}  at once", *[most for most, _ in counted[name]],
          " steps run", *[run for _, run in counted[name]])
n = depths
theory = {"one level": (n - 1, 2 * n - 1),
          "two levels": (2 * n**0.5 - 2, 3 * n - 2 * n**0.5),
          "halves": (np.log2(n), n + n / 2 * np.log2(n))}

for name, ink, *colors in [
        ("figure", "#23262b", "#b0123d", "#00707a", "#7a3fa0"),
        ("figure-dark", "#dfe1e6", "#ff8599", "#66c9d1", "#cfa0ee")]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.2), layout="tight")
    for at, title in enumerate(["tensors alive at once", "steps run"]):
        for (way, pairs), color, mark in zip(counted.items(), colors, "os^"):
            axes[at].loglog(n, theory[way][at], "-", color=color)
            axes[at].loglog(n, [pair[at] for pair in pairs], mark,
                            color=color, label=way)
        axes[at].set_title(title + ", over n")
    axes[0].legend(frameon=False)
    left, right = ({line.get_label(): np.array(line.get_ydata())
                    for line in plot.lines[1::2]} for plot in axes)
    assert all(plot.get_xscale() == plot.get_yscale() == "log"
               and plot.get_title().endswith("over n")
               and plot.lines[0].get_xdata()[[0, -1]].tolist() == [4, 1024]
               for plot in axes), (
        "Two plots over the depth n from 4 to 1024, all axes logarithmic;")
    assert all(np.allclose(line.get_ydata(), marks.get_ydata())
               for plot in axes
               for line, marks in zip(plot.lines[::2], plot.lines[1::2])), (
        "marks are counted, lines are theory, and the marks are on them.")
    assert "alive" in axes[0].get_title() and [
        each[-1] for each in left.values()] == [1023, 62, 10], (
        "Left, tensors alive at once: one level rises to 1023, two levels to"
        " 62, halves to 10.")
    assert "run" in axes[1].get_title() and [
        round(each[-1] / 1024, 1) for each in right.values()] == [2, 2.9, 6], (
        "Right, steps run: at the right end one level has 2.0 steps for each"
        " of the chain's, two levels 2.9, halves 6.0.")
    figure.savefig(name + ".svg", transparent=True, metadata={"Date": None})
