"""Finite differences as the step shrinks, at a kink and next to it."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "kink figure"
from matplotlib import pyplot as plt


def bend(x):
    return tf.where(x > 0.0, 2.0 * x, x)


distance = 0.01
steps = tf.constant(np.logspace(0, -5, 41))
found = {}
for at in 0.0, distance:
    x = tf.constant(at, tf.float64)
    left = (bend(x) - bend(x - steps)) / steps
    right = (bend(x + steps) - bend(x)) / steps
    central = (bend(x + steps) - bend(x - steps)) / (2.0 * steps)
    found[at] = {"right": right, "central": central, "left": left}
    for side, slopes in found[at].items():
        print(f"x = {at:<4}  {side:8} first {slopes[0]:.3f}"
              f"  last {slopes[-1]:.3f}")


def draw(name, ink, soft, *colors):
    figure, axes = plt.subplots(
        2, 1, figsize=(4.4, 4.8), layout="tight", sharex=True)
    for plot, (at, sides) in zip(axes, found.items()):
        for (side, slopes), color, style in zip(
                sides.items(), colors, ("--", "-", ":")):
            plot.semilogx(steps, slopes, style, color=color, lw=2.5)
            plot.text(1.4, slopes[0], side, color=color, fontsize=12,
                      ha="right", va="center")
        plot.set_title("at the kink" if at == 0 else f"at x = {at}",
                       color=ink, fontsize=12)
        plot.set(ylim=(0.85, 2.15), yticks=[1, 1.5, 2], xlim=(40, 6e-6))
        plot.tick_params(colors=ink, labelsize=11)
        plot.tick_params(which="minor", length=0)
        plot.set_xticks([1, 0.01, 0.0001], ["1", "0.01", "0.0001"])
        plot.spines[:].set_color(soft)
    axes[1].set_xlabel("step h, shrinking to the right", color=ink,
                       fontsize=12)
    at_kink, beside = (
        {text.get_text(): np.array(line.get_ydata())
         for text, line in zip(plot.texts, plot.lines)} for plot in axes)
    h = np.array(axes[0].lines[0].get_xdata())
    assert len(axes) == 2 and axes[1].get_xlabel().startswith("step h") and (
        axes[0].get_xlim()[0] > axes[0].get_xlim()[1]
        and axes[0].get_xscale() == "log"
        and np.allclose(h[[0, -1]], [1, 0.00001])), (
        "Two panels over the step h, which shrinks from 1 to 0.00001 on a"
        " logarithmic axis.")
    assert axes[0].get_title() == "at the kink" and all(
        np.allclose(at_kink[side], slope) for side, slope in
        (("right", 2), ("central", 1.5), ("left", 1))), (
        "At the kink, three level lines: right at 2, central at 1.5, left at"
        " 1.")
    assert axes[1].get_title() == f"at x = {distance}" and np.allclose(
        [each[0] for each in beside.values()], [2, 1.5, 1], atol=0.1) and (
        np.allclose(beside["right"], 2)
        and all(np.all(np.diff(beside[side][h > distance]) > 0)
                and np.allclose(beside[side][h < distance], 2)
                for side in ("central", "left"))), (
        f"At x = {distance} the lines start near these levels. The lines"
        f" central and left climb to 2 until the step is {distance}. For"
        " smaller steps, all three lines coincide.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#b0123d", "#7a3fa0", "#00707a")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#cfa0ee", "#66c9d1")
