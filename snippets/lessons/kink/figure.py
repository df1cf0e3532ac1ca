"""Finite differences as the step shrinks, at a kink and next to it."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "kink figure"
from matplotlib import pyplot as plt


def bend(x):
    return tf.where(x > 0.0, 2.0 * x, x)


steps = tf.constant(np.logspace(0, -5, 41))
found = {}
for at in 0.0, 0.01:
    x = tf.constant(at, tf.float64)
    left = (bend(x) - bend(x - steps)) / steps
    right = (bend(x + steps) - bend(x)) / steps
    central = (bend(x + steps) - bend(x - steps)) / (2.0 * steps)
    found[at] = {"right": right, "central": central, "left": left}
    for side, slopes in found[at].items():
        print(f"x = {at:<4}  {side:8} with h = 1 {slopes[0]:.3f}"
              f"  with h = 0.00001 {slopes[-1]:.3f}")


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
        plot.spines[:].set_color(soft)
    axes[1].set_xlabel("step h, shrinking to the right", color=ink,
                       fontsize=12)
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#b0123d", "#7a3fa0", "#00707a")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#cfa0ee", "#66c9d1")
