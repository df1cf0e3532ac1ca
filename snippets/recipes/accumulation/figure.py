"""A sum of gradients and a weight over twelve small batches."""

import keras
import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "accumulation figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
x = tf.constant(np.random.default_rng(0).normal(size=[32, 3]))
y = x @ tf.constant([[1.0], [-2.0], [0.5]], tf.float64)


def train(size, every, zeros=False):
    """Return the sizes of the sum, and a weight, after each batch."""
    w = tf.Variable(tf.zeros([3, 1], tf.float64))
    adam, total = keras.optimizers.Adam(0.1), tf.zeros_like(w)
    sizes, weights = [], [0.0]
    for number, start in enumerate(3 * list(range(0, 32, size)), 1):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w - y)[start:start + size]**2)
        total += tape.gradient(loss, w)
        sizes.append(np.linalg.norm(total))
        if (last := number % every == 0) or zeros:
            adam.apply([total / every if last else 0.0 * w], [w])
        total *= 0.0 if last else 1.0
        weights.append(float(w[0, 0]))
    return sizes, weights


sizes, weights = train(8, 4)
large, ahead = train(32, 1)[1], train(8, 4, zeros=True)[1]
print(f"small batches {weights[-1]:.2f}, with zeros {ahead[-1]:.2f}")

for suffix, ink, soft, right, wrong in (
        ("", "#23262b", "#5a5e66", "#0d6b3c", "#b0123d"),
        ("-dark", "#dfe1e6", "#a6abb6", "#6fd39b", "#ff8599")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, (top, plot) = plt.subplots(
        2, 1, figsize=(4.7, 3.6), layout="tight", sharex=True)
    top.bar(range(1, 13), sizes, color=soft)
    top.set(title="size of the sum of gradients", yticks=[0, 10])
    plot.step(range(13), ahead, "--", where="post", color=wrong, lw=2)
    plot.step(range(13), weights, where="post", color=right, lw=2.5)
    plot.plot([4, 8, 12], large[1:], "o", color=ink, ms=8)
    plot.text(0.2, 0.3, "● large batches")
    plot.text(0.2, 0.18, "zeros in between", color=wrong)
    plot.text(8.3, 0.08, "sums of four", color=right)
    plot.set(title="a weight", xlabel="small batch", xticks=[1, 4, 8, 12])
    zeros, sums, dots = (line.get_ydata() for line in plot.lines)
    heights = [bar.get_height() for bar in top.patches]
    assert heights[:4] == sorted(heights[:4]) and heights[4] < heights[3] and (
        np.allclose(dots, sums[4::4])), (
        "Over four small batches, the sum of gradients grows. Then a weight"
        " moves to the dot of one large batch, and the sum starts again.")
    assert f"{zeros[-1]:.2f}, {sums[-1]:.2f}" == "0.43, 0.30", (
        "With calls for zeros in between, it ends at 0.43 instead of 0.30.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
