"""Sums of rows in the forward pass, and copies in the backward pass."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "shapes figure"
from matplotlib import pyplot as plt

s = tf.constant(2.0)
x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch([s, x])
    r = tf.reduce_sum(x, axis=1)
    y = s * r
    L = tf.reduce_sum([1.0, 10.0] * y)
forward = [each.numpy().reshape(2, -1) for each in (x, r, y)]
gradients = tape.gradient(L, [x, r, y])
backward = [each.numpy().reshape(2, -1) for each in gradients]
for name, arrays in ("forward", forward), ("backward", backward):
    print(f"{name:8}", *(each.squeeze().tolist() for each in arrays))


def draw(name, ink, soft, above, local, below):
    figure = plt.figure(figsize=(4.4, 3.3))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(0, 4.4), ylim=(-3.3, 0))
    plot.axis("off")
    word = {"ha": "center", "va": "center", "fontsize": 13}
    rows = []
    for top, arrays, inks, titles in (
            (-0.42, forward, [ink] * 3, ["x", "row sums r", "y"]),
            (-2.2, backward, [below, below, above],
             ["downstream", "", "upstream"])):
        for left, array, color, title in zip(
                (0.05, 2.25, 3.6), arrays, inks, titles):
            wide = 0.46 if array.shape[1] == 3 else 0.6
            plot.text(left + wide * array.shape[1] / 2, top + 0.2, title,
                      color=color, **word)
            for (i, j), number in np.ndenumerate(array):
                across, down = left + wide * j, top - 0.46 * (i + 1)
                plot.add_patch(plt.Rectangle((across, down), wide, 0.46,
                                             fc="none", ec=soft))
                plot.text(across + wide / 2, down + 0.23, f"{number:g}",
                          color=color, **word)
        rows += [top - 0.23, top - 0.69]
    for n, row in enumerate(rows):
        for left, right in (1.48, 2.2), (2.9, 3.55):
            tail, tip = (left, right) if n < 2 else (right, left)
            plot.annotate("", (tip, row), (tail, row), arrowprops={
                "arrowstyle": "->", "color": ink if n < 2 else below})
    for middle, words, colors in (
            (-0.88, ("sum", f"× {s:g}"), (ink, ink)),
            (-2.66, ("copy", f"× {s:g}"), (below, local))):
        for across, text, color in zip((1.83, 3.22), words, colors):
            plot.text(across, middle, text, color=color, **word)

    texts = sorted((*each.get_position(), each.get_text())
                   for each in plot.texts if each.get_text())

    def read(low, high):
        found = {}
        for _, height, text in texts:
            if low < height < high:
                found.setdefault(round(height, 2), []).append(text)
        return [" ".join(found[height]) for height in sorted(found)[::-1]]

    assert read(-1.5, 0) == [
        "x row sums r y", "1 2 3 6 12", "sum × 2", "4 5 6 15 30"], (
        "Above, from left to right: the matrix x with the rows 1, 2, 3 and 4,"
        " 5, 6; their sums r, 6 and 15; and y, 12 and 30, which is 2 times r.")
    assert read(-3.3, -1.5) == [
        "downstream upstream", "2 2 2 2 1", "copy × 2", "20 20 20 20 10"], (
        "Below, from right to left: upstream, 1 and 10; times 2, 2 and 20;"
        " and downstream, a row of three 2s and a row of three 20s.")
    ends = [(each.xyann[0] < each.xy[0], each.xy[1]) for each in plot.texts
            if hasattr(each, "arrow_patch")]
    assert sorted(ends) == sorted(
        (row > -1.5, row) for row in rows for _ in range(2)), (
        "In each row, the arrows point right in the upper half and left in the"
        " lower half.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#a8400a", "#1a56b0", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ffa366", "#8ab8ff", "#6fd39b")
