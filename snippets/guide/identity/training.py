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


def draw(name, ink, soft, *colors):
    figure, plot = plt.subplots(figsize=(4.8, 2.6), layout="tight")
    word = {"fontsize": 12, "va": "center"}
    for (_, path), color, clipped, high in zip(curves.values(), colors, (
            "no clipping", "sum clipped", "sample clipped"), (7.0, 3.1, 1.8)):
        plot.plot(path, color=color, lw=2)
        plot.text(62, high, f"{clipped}: {path[-1]:.2f}", color=color, **word)
    plot.set_title("slope w, over the steps", color=ink, fontsize=12,
                   loc="left")
    plot.set(xlim=(0, 104), xticks=[0, 30, 60], yticks=[0, 2, 10],
             ylim=(0, 11))
    plot.tick_params(colors=ink, labelsize=11)
    plot.spines[:].set_color(soft)
    plot.spines[["top", "right"]].set_visible(False)
    plain, at_the_end, on_its_way = (
        line.get_ydata() for line in plot.lines)
    texts = [each.get_text() for each in plot.texts]
    assert "slope w" in plot.get_title("left") and max(plain) > 9.5 and (
        min(plain[50:]) > 3.5) and texts[0] == "no clipping: 8.54", (
        "The slope w over 60 steps. Without clipping it swings between 4 and"
        " 10, and ends at 8.54.")
    assert max(at_the_end[50:]) > 2.9 and min(at_the_end[10:]) > 2.0 and (
        texts[1] == "sum clipped: 2.57"), (
        "With the sum clipped at the end it zigzags above 2, and ends at"
        " 2.57.")
    assert np.allclose(on_its_way[50:], 2.0, atol=0.1) and (
        len(plain) == 60) and texts[2] == "sample clipped: 2.02", (
        "With each sample clipped on its way it climbs to 2 and stays, and"
        " ends at 2.02.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("training.svg", "#23262b", "#5a5e66", "#b0123d", "#7a2f7d", "#0d6b3c")
draw("training-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#dba6e2",
     "#6fd39b")
