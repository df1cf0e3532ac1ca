"""The slopes that a tape and forward mode return, on two graphs."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "forward figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
x, t, panels = tf.constant(2.0), np.linspace(0.6, 3.4, 281), {}


def jvp(f, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(x)
    return accumulator.jvp(y)


def tenfold(function):
    # truth: the gradient of tf.identity; downstream becomes 10.0 * downstream
    @tf.custom_gradient
    def f(x):
        return function(x), lambda upstream: 10.0 * upstream

    return f


for name, f in (("y = x", tenfold(tf.identity)),
                ("y = round(x)", tenfold(tf.round))):
    graph = tf.function(f, autograph=False)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    slopes = [tape.gradient(y, x), jvp(graph, x), tf.function(
        lambda x: jvp(f, x), autograph=False)(x)]
    panels[name] = f(tf.constant(t)).numpy(), slopes
    print(f"{name:12}  tape {slopes[0]}  around a tf.function {slopes[1]}"
          f"  inside one {slopes[2]}")

for suffix, ink, wrong, right in (
        ("", "#23262b", "#b0123d", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#ff8599", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plots = plt.subplots(1, 2, figsize=(4.9, 3.2))
    figure.set_layout_engine("tight", rect=(0.0, 0.0, 1.0, 0.86))
    figure.text(0.08, 0.935, "tape, or forward mode around a tf.function",
                color=right)
    figure.text(0.08, 0.87, "forward mode inside a tf.function", color=wrong)
    drawn = []
    for plot, (name, (y, slopes)) in zip(plots, panels.items()):
        plot.plot(t, np.where(np.gradient(y) > 0.3, np.nan, y), color=ink)
        for slope, length, color in zip(
                slopes, (1.0, 1.0, 0.4), (right, right, wrong)):
            d = np.array([-length, length]) / np.hypot(1.0, slope)
            plot.plot(2.0 + d, 2.0 + slope * d, color=color, lw=5)
        plot.text(1.9, 2.75, f"slope {slopes[0]:.0f}", color=right, ha="right")
        plot.text(2.3, 1.6, f"slope {slopes[2]:.0f}", color=wrong)
        plot.set(title=name, aspect=1, xlabel="x", xticks=[1, 2, 3],
                 yticks=[1, 2, 3], xlim=(0.5, 3.5), ylim=(0.5, 3.5))
        graph, *ends = (line.get_xydata() for line in plot.lines)
        assert np.allclose(ends[2][:, 1], np.interp(ends[2][:, 0], *graph.T))
        steps = np.diff(ends, axis=1)[:, 0]
        drawn.append(steps[:, 1] / steps[:, 0])
    assert np.allclose(drawn, [[10, 10, 1], [10, 10, 0]]), (
        "A line and a staircase, with gradient functions that return 10 times"
        " the upstream gradient. A tape, and forward mode around a"
        " tf.function, return 10; inside one, forward mode returns the slope"
        " of the graph, 1 or 0.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
