"""A row times a Jacobian: each number scales one row, and the rows add up."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "vjp rows"
from matplotlib import pyplot as plt

upstream_1, upstream_2 = 5.0, -1.0
x = tf.constant([2.0, 3.0, 0.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    x1, x2, x3 = tf.unstack(x)
    y = tf.stack([x1 * x2, x2 * tf.sin(x3)])
    L = upstream_1 * y[0] + upstream_2 * y[1]
upstream = tape.gradient(L, y).numpy()
J = tape.jacobian(y, x).numpy()
downstream = tape.gradient(L, x).numpy()
scaled = upstream[:, np.newaxis] * J
for number, row, product in zip(upstream, J, scaled):
    print(f"{number:g} times {row} is {product}")
print("sum of the rows:", scaled.sum(0), " downstream:", downstream)


def draw(name, ink, soft, above, local, below):
    figure = plt.figure(figsize=(4.4, 2.5))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(0, 4.4), ylim=(-2.5, 0))
    plot.axis("off")
    word = {"ha": "center", "va": "center", "fontsize": 13}

    def grid(left, top, array, color):
        for (i, j), number in np.ndenumerate(array):
            at = left + 0.46 * j, top - 0.46 * (i + 1)
            plot.add_patch(plt.Rectangle(at, 0.46, 0.46, fc="none", ec=soft))
            text = f"{number + 0.0:g}".replace("-", "−")
            plot.text(at[0] + 0.23, at[1] + 0.23, text, color=color, **word)

    grid(0.2, -0.5, upstream[:, np.newaxis], above)
    grid(1.07, -0.5, J, local)
    grid(2.87, -0.5, scaled, ink)
    grid(2.87, -1.95, downstream[np.newaxis], below)
    for across, height, text, color in (
            (0.43, -0.25, "upstream", above), (1.76, -0.25, "Jacobian", local),
            (2.05, -2.18, "downstream", below), (3.56, -1.68, "add", ink),
            *((0.87, row, "×", ink) for row in (-0.73, -1.19)),
            *((2.66, row, "=", ink) for row in (-0.73, -1.19))):
        plot.text(across, height, text, color=color, **word)
    texts = sorted((*each.get_position(), each.get_text())
                   for each in plot.texts)

    def line(low, high):
        return [text for _, height, text in texts if low < height < high]

    def value(words):
        return np.array([word.replace("−", "-") for word in words], float)

    (a, *one), (b, *two) = line(-1, -0.6), line(-1.5, -1)
    assert line(-0.6, 0) == ["upstream", "Jacobian"] and all(
        each[::4] == ["×", "="]
        and all(value(each[5:]) == value([factor]) * value(each[1:4]))
        for factor, each in ((a, one), (b, two))), (
        "Two lines: upstream {} times the first row of the Jacobian, {}, is"
        " {}; upstream {} times the second row, {}, is {}.".format(
            a, ", ".join(one[1:4]), ", ".join(one[5:]),
            b, ", ".join(two[1:4]), ", ".join(two[5:])))
    result, *total = line(-2.5, -1.9)
    assert line(-1.9, -1.5) == ["add"] and result == "downstream" and all(
        value(total) == value(one[5:]) + value(two[5:])), (
        f"Both results add up to downstream: {', '.join(total)}.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("rows.svg", "#23262b", "#5a5e66", "#a8400a", "#1a56b0", "#0d6b3c")
draw("rows-dark.svg", "#dfe1e6", "#a6abb6", "#ffa366", "#8ab8ff", "#6fd39b")
