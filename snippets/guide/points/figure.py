"""Six points without a derivative, and the slope that TensorFlow gives."""

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
        plot.set_title(title, color=ink, fontsize=9)
        plot.tick_params(colors=ink, labelsize=7)
        plot.spines[:].set_color(ink)
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#a8400a", "#23262b")
draw("figure-dark.svg", "#ffa366", "#dfe1e6")
