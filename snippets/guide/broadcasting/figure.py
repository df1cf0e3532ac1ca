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
panels = {}
for shape in (3,), (2, 1), ():
    b = tf.ones(shape)
    with tf.GradientTape() as tape:
        tape.watch(b)
        loss = tf.reduce_sum(upstream * x * b)
    panels[shape] = tape.gradient(loss, b).numpy()
    print(f"b {[*shape]!s:7} sums {panels[shape].tolist()}")


def draw(name, ink, soft, below):
    figure = plt.figure(figsize=(4.9, 1.85))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(-0.55, 12.3), ylim=(3.25, -1.4))
    plot.axis("off")
    word = {"ha": "center", "va": "center", "fontsize": 12}
    for left, (shape, sums) in zip((0, 4.0, 9.35), panels.items()):
        plot.text(left - 0.45, -1, f"b of shape {[*shape]}", color=ink,
                  va="center", fontsize=12)
        elements = np.arange(sums.size).reshape(shape)
        copy_of = np.broadcast_to(elements, x.shape)
        for k, total in enumerate(sums.flat):
            cells = np.argwhere(copy_of == k)
            for i, j in cells:
                plot.text(left + j, i, f"{products[i, j]:g}", color=ink,
                          **word)
            (top, low), (bottom, high) = cells.min(0), cells.max(0)
            plot.add_patch(plt.Rectangle(
                (left + low - 0.43, top - 0.4), high - low + 0.86,
                bottom - top + 0.8, fc="none", ec=soft))
            middle = left + (low + high) / 2
            start, end, at = (middle, 1.4), (middle, 2.4), (middle, 2.8)
            if shape == (2, 1):
                edge = left + high + 0.43
                start, end, at = (edge, top), (edge + 0.9, top), (
                    edge + 1.5, top)
            plot.annotate("", end, start, arrowprops={
                "arrowstyle": "->", "color": below, "shrinkA": 0})
            plot.text(*at, f"{total:g}", color=below, weight="bold", **word)
    boxes = [(each.get_width(), each.get_height()) for each in plot.patches]
    sums = [each.get_text() for each in plot.texts
            if each.get_weight() == "bold"]
    plain = [each.get_text() for each in plot.texts if each.get_text()
             and each.get_weight() != "bold"]
    titles = plain[0], plain[7], plain[14]
    assert titles == ("b of shape [3]", "b of shape [2, 1]", "b of shape []"
                      ) and all(sorted(plain[n:n + 6], key=float) == [
                          "1", "2", "3", "40", "50", "60"]
                          for n in (1, 8, 15)), (
        "Three times the same two rows of numbers, upstream times local: 1, 2,"
        " 3 above 40, 50, 60.")
    column, row, both = (0.86, 1.8), (2.86, 0.8), (2.86, 1.8)
    assert np.allclose(boxes[:3], column) and sums[:3] == ["41", "52", "63"], (
        "For b of shape [3], each column is boxed and summed, to 41, 52 and"
        " 63.")
    assert np.allclose(boxes[3:5], row) and sums[3:5] == ["6", "150"], (
        "For shape [2, 1], each row is boxed and summed, to 6 and 150.")
    assert np.allclose(boxes[5:], both) and sums[5:] == ["156"], (
        "For the empty shape, all six are in one box, with the sum 156.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#6fd39b")
