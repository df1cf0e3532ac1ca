"""The sums of unbroadcast as a picture: which numbers go where."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "broadcasting figure"
from matplotlib import pyplot as plt

upstream = tf.constant([[1.0, 1.0, 1.0], [10.0, 10.0, 10.0]])
x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
products = (upstream * x).numpy()
panels = []
for shape in ([3], [2, 1], []):
    b = tf.ones(shape)
    with tf.GradientTape() as tape:
        tape.watch(b)
        loss = tf.reduce_sum(upstream * x * b)
    panels.append((shape, tape.gradient(loss, b).numpy()))
    print(f"b {shape!s:7} sums {panels[-1][1].tolist()}")


def draw(name, above, below, ink):
    figure, axes = plt.subplots(1, 3, figsize=(7.0, 2.6), layout="tight")
    word = {"ha": "center", "va": "center", "fontsize": 13}
    for plot, (shape, sums) in zip(axes, panels):
        elements = np.arange(sums.size).reshape(shape)
        copy_of = np.broadcast_to(elements, x.shape)
        for k, total in enumerate(sums.flat):
            cells = np.argwhere(copy_of == k)
            for i, j in cells:
                plot.text(j, i, f"{products[i, j]:.0f}", color=above, **word)
            (top, left), (bottom, right) = cells.min(0), cells.max(0)
            plot.add_patch(plt.Rectangle(
                (left - 0.4, top - 0.4), right - left + 0.8,
                bottom - top + 0.8, fc="none", ec=ink))
            start, end = (right + 0.4, top), (4.2, top)
            if shape != [2, 1]:
                start, end = [((left + right) / 2, y) for y in (1.4, 2.8)]
            plot.annotate("", end, start, arrowprops={
                "arrowstyle": "->", "color": ink, "shrinkB": 18})
            plot.text(*end, f"{total:.0f}", color=below, weight="bold", **word)
        plot.set(xlim=(-0.5, 4.8), ylim=(3.1, -0.5), aspect=1.0)
        plot.set_title(f"b of shape {shape}", color=ink, loc="left")
        plot.axis("off")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#a8400a", "#0d6b3c", "#23262b")
draw("figure-dark.svg", "#ffa366", "#6fd39b", "#dfe1e6")
