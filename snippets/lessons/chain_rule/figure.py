"""Three squares as boxes: values to the right, gradients to the left."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "chain_rule figure"
from matplotlib import pyplot as plt

x, forget_upstream = tf.constant(2.0), False
values, passes = [x], []


@tf.custom_gradient
def square(x):
    y = x * x
    values.append(y)

    def grad(upstream):
        local = 2.0 * x
        downstream = local if forget_upstream else upstream * local
        passes.append((upstream, local, downstream))
        return downstream

    return y, grad


with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(square(square(x)))
print("dy/dx =", tape.gradient(y, x).numpy())
rows = dict(zip(("upstream", "local", "downstream"), zip(*passes[::-1])))
for name, row in {"forward": values, **rows}.items():
    print(f"{name:10}", *(f"{number:g}" for number in row))


def draw(name, ink, soft, *colors):
    figure = plt.figure(figsize=(4.5, 2.7))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(-1.72, 2.78), ylim=(-1.9, 0.8))
    plot.axis("off")
    word = {"va": "center", "fontsize": 13}
    plot.text(-0.78, 0, "forward", color=ink, ha="right", **word)
    for n, number in enumerate(values):
        symbol = ("x", "x₁", "x₀", "y")[n]
        plot.text(n - 0.5, 0.55, symbol, color=soft, ha="center", **word)
        plot.text(n - 0.5, 0.25, f"{number:g}", color=ink, ha="center", **word)
        plot.annotate("", (n - 0.3, 0), (n - 0.7, 0),
                      arrowprops={"arrowstyle": "->", "color": ink})
    for n in range(3):
        plot.add_patch(plt.Rectangle((n - 0.3, -1.75), 0.6, 2.0,
                                     fc="none", ec=soft))
        plot.text(n, 0, "( )²", color=ink, ha="center", **word)
    times = "" if forget_upstream else "× "
    for b, color, sign, (role, row) in zip(
            (-0.65, -1.05, -1.5), (soft if forget_upstream else colors[0],
                                   *colors[1:]), ("", times, "= "),
            rows.items()):
        plot.text(-0.4, b, sign + role, color=color, ha="right", **word)
        for n, number in enumerate(row):
            plot.text(n, b, f"{number:g}", color=color, ha="center", **word)
    for n in range(2):
        plot.annotate("", (n + 0.27, -0.65), (n + 0.73, -1.5),
                      arrowprops={"arrowstyle": "->", "color": colors[2]})
    boxes = [each.get_x() + 0.3 for each in plot.patches]
    ends = [(*each.xyann, *each.xy) for each in plot.texts
            if hasattr(each, "arrow_patch")]
    at = {}
    for each in plot.texts:
        at.setdefault(each.get_position(), each.get_text())
    ahead, back = ([each for each in ends if (each[0] < each[2]) == right]
                   for right in (True, False))
    assert boxes == [0, 1, 2] and [at[n, 0] for n in boxes] == ["( )²"] * 3, (
        "Three boxes in a row, each a square.")
    carried = [at[(start + end) / 2, 0.25] for start, _, end, _ in ahead]
    assert len(ahead) == 4 and np.allclose(
        [*map(float, carried)], x ** [1, 2, 4, 8]), (
        "Arrows to the right carry {}, {}, {} and {}.".format(*carried))
    read = [[at[n, b] for b in (-0.65, -1.05, -1.5)] for n in (2, 1, 0)]
    up, own, down = np.transpose([[*map(float, column)] for column in read])
    heads = [at[-0.4, b] for b in (-0.65, -1.05, -1.5)]
    if forget_upstream:
        assert heads == ["upstream", "local", "= downstream"] and (
            list(down) == list(own)) and up[0] == 1, (
            "Below, from the right box to the left one, each ignores its"
            " upstream, so downstream is local: {}, {} and {}."
            .format(*(each[2] for each in read)))
    else:
        assert heads == ["upstream", "× local", "= downstream"] and (
            list(up * own) == list(down)) and up[0] == 1, (
            "Below, from the right box to the left one: upstream {} times"
            " local {} is downstream {}; {} times {} is {}; {} times {} is"
            " {}.".format(*np.ravel(read)))
    assert len(back) == 2 and all(
        at[round(start), low] == at[round(end), high]
        and round(start) == round(end) + 1
        for start, low, end, high in back), (
        "An arrow leads from each downstream to the upstream on its left.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#a8400a", "#1a56b0", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ffa366", "#8ab8ff", "#6fd39b")
