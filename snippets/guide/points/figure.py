"""Six points without a derivative, and the slope that TensorFlow uses."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "points figure"
from matplotlib import pyplot as plt

PANELS = [
    ("relu(x)", 0.0, tf.nn.relu),
    ("abs(x)", 0.0, tf.abs),
    ("maximum(x, -x)", 0.0, lambda x: tf.maximum(x, -x)),
    ("clip_by_value(x, -1, 1)", 1.0,
     lambda x: tf.clip_by_value(x, -1.0, 1.0)),
    ("sign(x)", 0.0, tf.sign),
    ("sqrt(x)", 0.0, tf.sqrt),
]
slopes = []
for name, at, function in PANELS:
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    slopes.append((at, y.numpy(), tape.gradient(y, x).numpy()))
    print(f"{name:24} slope at {at:.0f}: {slopes[-1][2]}")


def draw(name, mark, ink):
    figure, axes = plt.subplots(2, 3, figsize=(7, 4.4), layout="tight")
    grid = np.linspace(-1.6, 1.6, 641, dtype=np.float32)
    for plot, (title, _, function), (at, y, slope) in zip(
            axes.flat, PANELS, slopes):
        values = function(tf.constant(grid)).numpy()
        values[1:][abs(np.diff(values)) > 0.5] = np.nan
        plot.plot(grid, values, color=ink, lw=1.2)
        angle = np.arctan(slope)
        across, up = 0.6 * np.cos(angle), 0.6 * np.sin(angle)
        plot.plot([at - across, at + across], [y - up, y + up],
                  color=mark, lw=3)
        plot.plot(at, y, "o", color=mark)
        plot.set(xlim=(-1.8, 1.8), ylim=(-1.3, 1.8), aspect=1)
        plot.set_title(title, color=ink, fontsize=11)
        plot.tick_params(colors=ink, labelsize=9)
        plot.spines[:].set_color(ink)
    told = {}
    for plot in axes.flat:
        curve, short, point = (np.array(each.get_data())
                               for each in plot.lines)
        (run, rise), place = short[:, 1] - short[:, 0], point[0, 0]
        beside = [np.interp(place + h, *curve) for h in (-0.1, 0.0, 0.1)]
        told[plot.get_title()] = rise / run, *np.diff(beside) / 0.1
        assert len(axes.flat) == 6 and plot.lines[1].get_lw() == 3 and (
            np.allclose(short.mean(1), point[:, 0])
            and 1.1 < np.hypot(run, rise) < 1.3), (
            "Six graphs, each with a short thick line through one point, at"
            " the slope that TensorFlow gives there.")

    def is_drawn(title, drawn, left, right):
        return np.allclose(told[title], (drawn, left, right), atol=1e-3)

    assert is_drawn("relu(x)", 0, 0, 1), "relu: flat, the left slope."
    assert is_drawn("abs(x)", 0, -1, 1), "abs: flat, the middle."
    assert is_drawn("maximum(x, -x)", 1, -1, 1), (
        "maximum(x, −x), the same graph as abs: rising, the right slope.")
    assert is_drawn("clip_by_value(x, -1, 1)", 1, 1, 0), (
        "clip_by_value at its upper end: rising, the left slope.")
    assert told["sign(x)"][0] == 0 and np.ptp(
        [values for values in axes.flat[4].lines[0].get_ydata()
         if values == values]) == 2 and (
        axes.flat[4].lines[2].get_ydata() == 0), (
        "sign: flat, in the middle of the discontinuity.")
    assert abs(told["sqrt(x)"][0]) > 1e6, "sqrt: upright, an infinite slope."
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#a8400a", "#23262b")
draw("figure-dark.svg", "#ffa366", "#dfe1e6")
