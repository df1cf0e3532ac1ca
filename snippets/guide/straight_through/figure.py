"""The value of round, and two gradients: its own, and straight through."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "straight_through figure"
from matplotlib import pyplot as plt


# truth: the gradient of tf.identity
@tf.custom_gradient
def through(x):
    return tf.round(x), lambda upstream: upstream


x = tf.constant(np.linspace(-2.3, 2.3, 461), tf.float32)
curves = {}
for name, function in ("tf.round", tf.round), ("straight through", through):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradient = tape.gradient(y, x, unconnected_gradients="zero").numpy()
    curves[name] = y.numpy(), gradient
    print(f"{name:16}  values {min(y):g} to {max(y):g}  gradient",
          *(f"{each:g}" for each in np.unique(gradient)))


def draw(name, ink, soft, wrong, right):
    figure, (left, below) = plt.subplots(
        1, 2, figsize=(4.9, 2.3), layout="tight")
    word = {"fontsize": 12, "va": "center"}
    for (label, (y, gradient)), color, width in zip(
            curves.items(), (wrong, right), (2, 3)):
        steps = np.where(abs(np.gradient(y)) > 0.4, np.nan, y)
        left.plot(x, steps, color=ink, lw=2)
        below.plot(x, gradient, color=color, lw=width)
        below.text(0, gradient[0] + 0.17, label, color=color, ha="center",
                   **word)
    left.plot(x, x, ":", color=right, lw=2)
    left.text(-2.3, 1.6, "value:\nthe same", color=ink, **word)
    for plot, title in (left, "round(x)"), (below, "gradient"):
        plot.set_title(title, color=ink, fontsize=12, loc="left")
        plot.tick_params(colors=ink, labelsize=11)
        plot.spines[:].set_color(soft)
        plot.spines[["top", "right"]].set_visible(False)
    left.set(xticks=[-2, 0, 2], yticks=[-2, 0, 2])
    below.set(xticks=[-2, 0, 2], yticks=[0, 1], ylim=(-0.1, 1.4))
    at, y = left.lines[0].get_data()
    held = ~np.isnan(y)
    (_, flat), (_, one) = (line.get_data() for line in below.lines)
    same = np.array_equal(y, left.lines[1].get_ydata(), equal_nan=True)
    assert same and np.array_equal(y[held], np.round(at[held])) and (
        max(y[held]), min(y[held])) == (2, -2), (
        "Left, the value over x: a staircase from −2 to 2, the same with both"
        " gradients, and the dotted line of x through it.")
    assert not any(flat) and all(one == 1.0), (
        "Right, the gradient: 0 everywhere for tf.round, 1 everywhere"
        " straight through.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")
