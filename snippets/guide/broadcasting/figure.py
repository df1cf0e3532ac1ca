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
    told = {}
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
        boxes = [(each.get_width(), each.get_height())
                 for each in plot.patches if isinstance(each, plt.Rectangle)]
        told[plot.get_title(loc="left")] = boxes, [
            each.get_text() for each in plot.texts
            if each.get_weight() == "bold"]
        assert len(axes) == 3 and plot.yaxis_inverted() and sorted(
            (*each.get_position()[::-1], each.get_text())
            for each in plot.texts if each.get_text()
            and each.get_weight() != "bold") == [
            (0, 0, "1"), (0, 1, "2"), (0, 2, "3"),
            (1, 0, "40"), (1, 1, "50"), (1, 2, "60")], (
            "Three panels with the same two rows of numbers, upstream times"
            " local: 1, 2, 3 above 40, 50, 60.")
    cell, both, row = 0.8, 1.8, 2.8
    assert told["b of shape [3]"] == (
        [(cell, both)] * 3, ["41", "52", "63"]), (
        "For b of shape [3] each column is boxed and summed, to 41, 52 and"
        " 63.")
    assert told["b of shape [2, 1]"] == ([(row, cell)] * 2, ["6", "150"]), (
        "For shape [2, 1] each row is boxed and summed, to 6 and 150.")
    assert told["b of shape []"] == ([(row, both)], ["156"]), (
        "For the empty shape all six are in one box, with the sum 156.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#a8400a", "#0d6b3c", "#23262b")
draw("figure-dark.svg", "#ffa366", "#6fd39b", "#dfe1e6")
