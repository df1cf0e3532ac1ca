"""Adam and gradient descent train through sign, from two starts."""
# tracebook: rel=1e-3

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "training figure"
from matplotlib import pyplot as plt

width = 1.0


# truth: the gradient of tf.sigmoid(x / width)
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        s = tf.sigmoid(x / width)
        return upstream * s * (1.0 - s) / width

    return tf.sign(x), grad


def train(optimizer, start):
    x = tf.Variable(start)
    path = [start]
    for _ in range(100):
        with tf.GradientTape() as tape:
            loss = 0.5 * (sign(x) - 1.0) ** 2
        optimizer.apply([tape.gradient(loss, x)], [x])
        path.append(float(x.numpy()))
    return path


STARTS = -1.0, -6.0
paths = {}
for make in tf.keras.optimizers.Adam, tf.keras.optimizers.SGD:
    for start in STARTS:
        path = train(make(learning_rate=0.1), start)
        paths[make.__name__, start] = path
        print(f"{make.__name__:4} from {start}:"
              f" after 100 steps {path[-1]:.4f}")


def draw(name, ink, soft, near, far, band):
    figure, axes = plt.subplots(2, 1, figsize=(4.4, 4.8), layout="tight",
                                sharex=True)
    for plot, way in zip(axes, ("Adam", "SGD")):
        plot.axhspan(0.0, 3.0, color=band)
        plot.axhline(0.0, color=soft, lw=1)
        for start, color, style in zip(STARTS, (near, far), ("-", "--")):
            plot.plot(paths[way, start], style, color=color, lw=2.5)
        plot.set_title({"SGD": "gradient descent"}.get(way, way), color=ink,
                       fontsize=12)
        plot.set(ylim=(-6.6, 2.2), yticks=[-6, -4, -2, 0, 2])
        plot.tick_params(colors=ink, labelsize=11)
        plot.spines[:].set_color(soft)
        plot.set_ylabel("x", color=ink, fontsize=12)
    axes[0].text(3, 1.4, "loss 0", color=ink, fontsize=12, va="center")
    end = paths["SGD", -6.0][-1]
    word = "stalls" if end < -5.9 else f"to {end:.1f}".replace("-", "−")
    axes[1].text(50, -5.2 if end < -5.9 else -4.6, word, color=far,
                 fontsize=12, ha="center")
    axes[1].set_xlabel("step", color=ink, fontsize=12)
    (adam_near, adam_far), (near_, far_) = (
        [line.get_ydata() for line in plot.lines[1:]] for plot in axes)
    shaded = [each.get_window_extent().transformed(
        plot.transData.inverted()) for plot in axes for each in plot.patches]
    assert [len(path) for path in (adam_near, adam_far, near_, far_)] == (
        [101] * 4) and all(abs(each.y0) < 1e-6 for each in shaded), (
        "x over 100 steps, in two panels; the region above 0 is shaded.")
    assert axes[0].get_title() == "Adam" and adam_near[0] == -1 and (
        adam_far[0] == -6 and min(adam_near[-1], adam_far[-1]) > 0.9), (
        "Adam: from −1 and from −6, x climbs into the shaded part and comes to"
        " rest there.")
    assert axes[1].get_title() == "gradient descent" and near_[0] == -1 and (
        0 < near_[-1] < 0.1 and near_[-1] == near_[90]), (
        "Gradient descent: from −1, x stops just above 0;")
    if word == "stalls":
        assert far_[0] == -6 and far_[-1] < -5.9, (
            "from −6, the line is almost level at −6.")
    else:
        assert far_[0] == -6 and all(np.diff(far_) > 0), (
            f"from −6, x rises {word}.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#7a3fa0", "#b0123d", "#f4f3ee")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#cfa0ee", "#ff8599", "#20232a")
