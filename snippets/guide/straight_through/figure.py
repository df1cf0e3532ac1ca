"""Three gradients of round: the values agree, the gradients differ."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "identity figure"
from matplotlib import pyplot as plt


# truth: the gradient of tf.identity
@tf.custom_gradient
def through(x):
    return tf.round(x), lambda upstream: upstream


# truth: the gradient of tf.clip_by_value(x, -2.0, 2.0)
@tf.custom_gradient
def window(x):
    return tf.round(x), lambda u: u * tf.cast(tf.abs(x) <= 2.0, u.dtype)


x = tf.constant(np.linspace(-3.3, 3.3, 661), tf.float32)
curves = {}
for name, function in (("tf.round", tf.round), ("straight through", through),
                       ("in a window", window)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradient = tape.gradient(y, x, unconnected_gradients="zero").numpy()
    curves[name] = y.numpy(), gradient
    print(f"{name:16}  the values of tf.round:",
          bool(tf.reduce_all(y == tf.round(x))), " gradient 1 at",
          np.count_nonzero(gradient), "of", gradient.size)


def draw(name, inks, ink):
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), layout="tight")
    for (label, both), color, style in zip(
            curves.items(), inks, (":", "-", "--")):
        for plot, values in zip(axes, both):
            plot.plot(x, values, style, color=color, label=label)
    for plot, title in zip(axes, ("output", "gradient")):
        plot.set_title(title, color=ink)
        plot.tick_params(colors=ink)
        plot.spines[:].set_color(ink)
    axes[1].set_ylim(-0.1, 1.6)
    axes[1].legend(labelcolor=ink, framealpha=0.0, ncols=2, fontsize=8)
    values, slopes = ({line.get_label(): line.get_ydata()
                       for line in plot.lines} for plot in axes)
    grid = axes[0].lines[0].get_xdata()
    assert all(np.allclose(line.get_xdata()[[0, -1]], [-3.3, 3.3])
               for plot in axes for line in plot.lines), (
        "Two panels over x from −3.3 to 3.3.")
    assert axes[0].get_title() == "output" and len(values) == 3 and all(
        np.array_equal(y, np.round(grid)) for y in values.values()), (
        "Output: one staircase, on which all three curves lie.")
    assert axes[1].get_title() == "gradient" and not any(
        slopes["tf.round"]) and all(slopes["straight through"] == 1.0) and (
        np.array_equal(slopes["in a window"], abs(grid) <= 2.0)), (
        "Gradient: zero for tf.round, one everywhere for straight through,"
        " one between −2 and 2 and zero outside for the window.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", ("#b0123d", "#0d6b3c", "#7a2f7d"), "#23262b")
draw("figure-dark.svg", ("#ff8599", "#6fd39b", "#dba6e2"),
     "#dfe1e6")
