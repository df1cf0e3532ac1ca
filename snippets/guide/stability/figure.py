"""The gradient of log(1 + e^x) in float32: as written, and custom."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "stability figure"
from matplotlib import pyplot as plt


@tf.custom_gradient
def stable(x):
    return tf.nn.softplus(x), lambda upstream: upstream * tf.sigmoid(x)


x = tf.constant(np.linspace(-10, 110, 481), tf.float32)
gradients = {}
for name, function in (("custom gradient", stable),
                       ("tape", lambda x: tf.math.log(1.0 + tf.exp(x)))):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradients[name] = tape.gradient(y, x).numpy()
    print(f"{name:15}", *(f" at {at}: {gradients[name][4 * (at + 10)]:.4g}"
                          for at in (0, 85, 88, 89, 110)))


def draw(name, ink, soft, wrong, right):
    figure, plot = plt.subplots(figsize=(4.7, 2.4), layout="tight")
    first = float(x[np.isnan(gradients["tape"])][0])
    plot.axvspan(first, 110, color=wrong, alpha=0.15, lw=0)
    custom, tape = gradients.values()
    plot.plot(x, custom, color=right, lw=5)
    plot.plot(x, tape, "--", color=wrong, lw=2)
    word = {"fontsize": 12, "va": "center"}
    plot.text(99.5, 0.5, "NaN", color=wrong, weight="bold", ha="center",
              **word)
    plot.text(86, 0.07, "0", color=wrong, weight="bold", ha="right", **word)
    plot.text(82, 0.5, "tape", color=wrong, ha="right", **word)
    plot.text(110, 1.13, "custom gradient", color=right, ha="right", **word)
    plot.set_title("gradient of log(1 + eˣ)", color=ink, fontsize=12,
                   loc="left", pad=10)
    plot.set(xlim=(-10, 110), ylim=(-0.06, 1.25), yticks=[0, 1],
             xticks=[0, 50, 88])
    plot.set_xlabel("x", color=ink, fontsize=12, loc="right", labelpad=-11)
    plot.tick_params(colors=ink, labelsize=11)
    plot.spines[:].set_color(soft)
    plot.spines[["top", "right"]].set_visible(False)
    (at, custom), (_, tape) = (line.get_data() for line in plot.lines)
    assert plot.get_title("left") == "gradient of log(1 + eˣ)" and (
        at[[0, -1]].tolist() == [-10, 110]) and all(np.diff(custom) >= 0) and (
        custom[0] < 1e-4 and custom[-1] == 1.0), (
        "The gradient of log(1 + eˣ) over x from −10 to 110. With the custom"
        " gradient it rises from almost 0 to 1 and stays there.")
    assert np.allclose(tape[at < 85], custom[at < 85], atol=1e-3) and (
        not any(tape[(at >= 87.5) & (at <= 88.5)])) and (
        np.isnan(tape[at >= 89]).all()), (
        "From the tape it is the same up to 85, drops to 0 before 88, and is"
        " NaN from 89 on.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")
