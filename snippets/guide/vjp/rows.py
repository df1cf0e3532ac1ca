"""The gradient of a softmax: a row of ones adds the rows of the Jacobian."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "vjp rows"
from matplotlib import pyplot as plt

upstream_1, upstream_2, upstream_3 = 1.0, 1.0, 1.0
upstream = tf.stack([upstream_1, upstream_2, upstream_3])
x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = tf.nn.softmax(x)
J = tape.jacobian(y, x).numpy()
downstream = tape.gradient(y, x, output_gradients=upstream).numpy()
for number, row in zip(upstream, J):
    print(f"{number:g} times {row.round(2)}")
print("adds up to ", downstream.round(2) + 0.0)


def draw(name, ink, soft, above, local, below):
    figure = plt.figure(figsize=(4.2, 2.6))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(0, 4.2), ylim=(-2.6, 0))
    plot.axis("off")
    word = {"ha": "center", "va": "center", "fontsize": 13}

    def grid(left, top, width, array, color):
        for (i, j), number in np.ndenumerate(array):
            at = left + width * j, top - 0.46 * (i + 1)
            plot.add_patch(plt.Rectangle(at, width, 0.46, fc="none", ec=soft))
            text = f"{number.round(2) + 0.0:g}".replace("-", "−")
            plot.text(at[0] + width / 2, at[1] + 0.23, text, color=color,
                      **word)

    grid(0.4, -0.5, 0.5, upstream.numpy()[:, np.newaxis], above)
    grid(1.4, -0.5, 0.75, J, local)
    grid(1.4, -2.1, 0.75, downstream[np.newaxis], below)
    for across, height, text, color in (
            (0.65, -0.25, "upstream", above), (2.52, -0.25, "Jacobian", local),
            (0.65, -2.33, "downstream", below), (3.9, -1.2, "add", ink),
            *((1.15, row, "×", ink) for row in (-0.73, -1.19, -1.65))):
        plot.text(across, height, text, color=color, **word)
    plot.annotate("", (3.9, -2.4), (3.9, -1.35), arrowprops={
        "arrowstyle": "->", "color": ink})
    texts = sorted((*each.get_position(), each.get_text())
                   for each in plot.texts if each.get_text())
    lines = [[text for _, height, text in texts if low < height < low + 0.46]
             for low in (-0.96, -1.42, -1.88, -2.56)]
    (a, cross, *one), (b, _, *two), (c, _, *three) = (
        [word for word in line if word != "add"] for line in lines[:3])
    value = [np.array([word.replace("−", "-") for word in words], float)
             for words in (one, two, three, lines[3][1:])]
    assert cross == "×" and np.allclose(
        value[:3], tape.jacobian(y, x), atol=0.006), (
        f"Three rows of the Jacobian: {', '.join(one)}; {', '.join(two)};"
        f" {', '.join(three)}.")
    assert lines[3][0] == "downstream" and np.allclose(
        [float(a), float(b), float(c)] @ np.array(value[:3]), value[3],
        atol=0.02), (
        f"Upstream multiplies them by {a}, {b} and {c}, and they add up to"
        f" downstream: {', '.join(lines[3][1:])}.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("rows.svg", "#23262b", "#5a5e66", "#a8400a", "#1a56b0", "#0d6b3c")
draw("rows-dark.svg", "#dfe1e6", "#a6abb6", "#ffa366", "#8ab8ff", "#6fd39b")
