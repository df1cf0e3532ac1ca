"""sign and its surrogate, with their derivatives."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "sign figure"
from matplotlib import pyplot as plt

width = 1.0
grid = tf.constant(np.linspace(-4.0, 4.0, 801), tf.float32)
curves = {}
for name, function in ("sign", tf.sign), (
        "sigmoid", lambda x: tf.sigmoid(x / width)):
    with tf.GradientTape() as tape:
        tape.watch(grid)
        values = function(grid)
    slopes = tape.gradient(values, grid).numpy()
    values = values.numpy()
    curves[name] = values, slopes
    print(f"{name:8} value {min(values):.3f} to {max(values):.3f}"
          f"  derivative {min(slopes):.3f} to {max(slopes):.3f}")


def draw(name, ink, soft, purple, local):
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(4.4, 4.6), layout="tight", sharex=True)
    for label, color, used in ("sign", ink, ink), ("sigmoid", purple, local):
        values, slopes = curves[label]
        values = np.where(abs(np.gradient(values)) > 0.4, np.nan, values)
        above.plot(grid, values, color=color, lw=2, label=label)
        below.plot(grid, slopes, color=used, lw=2, label=label)
    above.plot(0, 0, "o", color=ink, ms=5)
    called = "σ(x)" if width == 1.0 else f"σ(x / {width})"
    word = {"fontsize": 12, "va": "center"}
    above.text(-3.9, -0.78, "sign(x)", color=ink, **word)
    above.text(-3.9, 0.72, f"surrogate\n{called}", color=purple, **word)
    below.text(-0.45, 0.037, "of sign", color=ink, **word)
    below.text(1.25, 0.36, f"of {called}:\nthe one that\ngrad uses",
               color=local, **word)
    above.set_title("value", color=ink, fontsize=12)
    below.set_title("derivative", color=ink, fontsize=12)
    above.set(yticks=[-1, 0, 1], ylim=(-1.15, 1.15))
    below.set(yticks=[0, 0.25, 0.5], ylim=(-0.03, 0.54), xlabel="x")
    below.xaxis.label.set(color=ink, fontsize=12)
    for plot in above, below:
        plot.tick_params(colors=ink, labelsize=11)
        plot.spines[:].set_color(soft)
    x = above.lines[0].get_xdata()
    (sign, sigmoid), (flat, hump) = (
        [line.get_ydata() for line in plot.lines[:2]]
        for plot in (above, below))
    assert [plot.get_title() for plot in figure.axes] == [
        "value", "derivative"] and x[[0, -1]].tolist() == [-4, 4], (
        "Two panels over x from −4 to 4.")
    left, right = sign[x < -0.02], sign[x > 0.02]
    assert set(left) == {-1.0} and set(right) == {1.0} and (
        above.lines[2].get_xydata().tolist() == [[0, 0]]), (
        "Value: sign is −1 on the left, 0 at 0 and 1 on the right;")
    assert all(np.diff(sigmoid) > 0) and min(sigmoid) > 0 and (
        max(sigmoid) < 1), "the sigmoid rises smoothly between 0 and 1."
    assert not any(flat), "Derivative: sign has the derivative 0;"
    top = round(float(max(hump)), 3)
    assert x[np.argmax(hump)] == 0 and abs(top - 0.25 / width) < 0.001 and (
        min(hump) > 0) and np.allclose(hump, hump[::-1], atol=1e-6), (
        "the derivative of the sigmoid is a hump, positive on both sides,"
        f" with its top, {top}, at 0.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#7a2f7d", "#1a56b0")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#dba6e2", "#8ab8ff")
