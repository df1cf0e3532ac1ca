"""Fit a line to 200 labels, four of them bad, with and without clipping."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "identity training"
from matplotlib import pyplot as plt


# truth: upstream becomes tf.clip_by_value(upstream, -1.0, 1.0)
# truth: dense upstream
@tf.custom_gradient
def clipped(x):
    return tf.identity(x), lambda u: tf.clip_by_value(u, -1.0, 1.0)


def train(on_the_way, at_the_end):
    w, norms, path = tf.Variable(0.0), [], []
    for step in range(60):
        some = slice(step % 10 * 20, step % 10 * 20 + 20)
        with tf.GradientTape() as tape:
            p = on_the_way(w * x[some])
            L = 0.5 * tf.reduce_sum((p - t[some]) ** 2)
        gradient = at_the_end(tape.gradient(L, w))
        norms.append(abs(gradient.numpy()))
        w.assign_sub(0.02 * gradient)
        path.append(w.numpy())
    return norms, path


x = tf.random.stateless_uniform([200], seed=[1, 2], minval=0.5, maxval=1.5)
t = 2.0 * x + 0.1 * tf.random.stateless_normal([200], seed=[3, 4])
t = tf.tensor_scatter_nd_update(t, [[15], [75], [135], [195]], [300.0] * 4)
curves = {}
for name, on_the_way, at_the_end in (
        ("no clipping", tf.identity, tf.identity),
        ("the sum, at the end", tf.identity,
         lambda g: tf.clip_by_value(g, -20.0, 20.0)),
        ("each sample, on its way", clipped, tf.identity)):
    curves[name] = norms, path = train(on_the_way, at_the_end)
    print(f"{name:23}  last ten norms {min(norms[50:]):6.2f} to"
          f" {max(norms[50:]):6.2f}  w {min(path[50:]):.2f} to"
          f" {max(path[50:]):.2f}, at the end {path[-1]:.3f}")


def draw(name, inks, ink):
    figure, axes = plt.subplots(2, figsize=(6, 4.5), layout="tight")
    for (label, both), color, style in zip(
            curves.items(), inks, (":", "--", "-")):
        for plot, values in zip(axes, both):
            plot.plot(values, style, color=color, label=label)
    for plot, title in zip(axes, ("norm of the gradient, step by step",
                                  "the slope w; the data have 2")):
        plot.set_title(title, color=ink)
        plot.tick_params(colors=ink)
        plot.spines[:].set_color(ink)
    axes[0].set(yscale="log", ylim=(0.02, 2000.0))
    axes[0].legend(labelcolor=ink, framealpha=0.0, ncols=3, fontsize=8)
    norms, slopes = ([np.array(line.get_ydata()) for line in sorted(
        plot.lines, key=lambda line: [*curves].index(line.get_label()))]
        for plot in axes)
    assert len(axes) == 2 and {len(y) for y in norms + slopes} == {60}, (
        "Two panels over 60 steps.")
    plain, at_the_end, on_its_way = norms
    assert "norm of the gradient" in axes[0].get_title() and (
        axes[0].get_yscale() == "log" and all(
            abs(np.log(max(some) / min(some))) > 1.5
            for some in plain.reshape(6, 10))), (
        "Above, the norm of the gradient on a logarithmic scale: without"
        " clipping a jagged line that never settles;")
    assert max(at_the_end) == 20.0 and sum(at_the_end == 20.0) > 10, (
        "with the sum clipped at the end it bumps along the limit of 20;")
    assert on_its_way[0] > 5 and max(on_its_way[50:]) < 1.5, (
        "with each sample clipped on its way it falls to about 1.")
    plain, at_the_end, on_its_way = slopes
    assert "slope w" in axes[1].get_title() and max(plain[50:]) > 5, (
        "Below, the slope w: without clipping it swings far above 2 for as"
        " long as it is trained;")
    assert max(at_the_end[50:]) > 2.2 and sum(
        np.diff(np.sign(np.diff(at_the_end))) != 0) > 4, (
        "with the sum clipped it zigzags above 2;")
    assert np.allclose(on_its_way[50:], 2.0, atol=0.1) and (
        on_its_way[0] < 1.0), "clipped on its way it climbs to 2 and stays."
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("training.svg", ("#b0123d", "#7a2f7d", "#0d6b3c"),
     "#23262b")
draw("training-dark.svg", ("#ff8599", "#dba6e2", "#6fd39b"),
     "#dfe1e6")
