"""A gradient gives the slope of a line, which must touch the curve."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "checking figure"
from matplotlib import pyplot as plt

x, v = tf.constant([1.3, -0.7], tf.float64), np.array([0.4, 0.9])
upstream, h = np.array([0.5, -1.5]), 1e-5


@tf.custom_gradient
def cube(x):
    return x**3, lambda upstream: upstream * 3.0 * x**2


# truth: upstream becomes tf.ones_like(upstream)
@tf.custom_gradient
def forgetful(x):
    return x**3, lambda upstream: 3.0 * x**2


def by_gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    downstream = tape.gradient(y, x, output_gradients=tf.constant(upstream))
    return np.sum(downstream * v)


def weighted_sum(t):
    return np.sum(upstream * (x + t * v) ** 3)


by_values = (weighted_sum(h) - weighted_sum(-h)) / (2 * h)
right, wrong = by_gradient(cube), by_gradient(forgetful)
print(f"finite difference {by_values:.4f}  right gradient {right:.4f}"
      f"  without upstream {wrong:.4f}")


def draw(name, ink, soft, red, green):
    figure, plot = plt.subplots(figsize=(4.7, 2.5), layout="tight")
    t = np.linspace(-0.9, 1.0, 191)
    curve = np.array([weighted_sum(each) for each in t]) - weighted_sum(0.0)
    plot.plot(t, curve, color=ink, lw=2)
    for slope, color in (right, green), (wrong, red):
        plot.plot(t[20:171], slope * t[20:171], color=color, lw=2)
    plot.plot(0, 0, "o", color=ink, ms=6)
    word = {"fontsize": 12, "va": "center"}
    for across, height, text, color in (
            (-0.55, 3.1, f"finite difference\n{by_values:.2f}", ink),
            (0.85, -1.0, f"right gradient\n{right:.2f}", green),
            (0.85, 2.6, f"without upstream\n{wrong:.2f}", red)):
        plot.text(across, height, text.replace("-", "−"), color=color, **word)
    plot.set(xlim=(-0.95, 1.8), ylim=(-2.6, 4.2), xticks=[0], yticks=[])
    plot.set_xticklabels(["x"])
    plot.set_xlabel("x + t v", color=ink, fontsize=12, loc="right",
                    labelpad=-12)
    plot.tick_params(colors=ink, labelsize=12)
    plot.spines[["top", "right", "left"]].set_visible(False)
    plot.spines["bottom"].set_color(soft)
    (t, curve), (_, touching), (some, crossing), _ = (
        line.get_data() for line in plot.lines)
    at = np.searchsorted(t, some)
    words = [each.get_text() for each in plot.texts]
    slope = (curve[91] - curve[89]) / (t[91] - t[89])
    assert abs(slope - by_values) < 1e-3 and (
        words[0] == "finite difference\n−0.97"), (
        "A curve: the weighted sum of the outputs along the direction v. At"
        " the input x, a finite difference gives its slope, −0.97.")
    assert all(touching <= curve[at] + 1e-9) and (
        words[1] == "right gradient\n−0.97"), (
        "The line of the right gradient also has the slope −0.97, and touches"
        " the curve there.")
    gap = crossing - curve[at]
    assert min(gap) < -1 and max(gap) > 1 and (
        words[2] == "without upstream\n3.35"), (
        "The line of a gradient without its upstream factor has the slope"
        " 3.35, and crosses it.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")
