"""The sizes of upstream gradients in float16, without and with a scale."""

import keras
import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "mixed_precision figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
keras.config.set_floatx("float64")
keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=[1024, 8])
labels = np.argmax(x @ rng.normal(size=[8, 4]), 1)
hidden, last = keras.layers.Dense(64, "tanh"), keras.layers.Dense(4)
model = keras.Sequential([keras.Input([8]), hidden, last])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.Adam(0.01), loss)
model.fit(x, labels, epochs=100, batch_size=1024, verbose=0)
h = hidden(x)
with tf.GradientTape() as tape:
    tape.watch(h)
    value = loss(labels, last(h))
upstream = tape.gradient(value, h)
sizes, limit, zero = {}, 0.5, 2.0**-25  # float16 rounds it to 0
for scale in 1.0, 32768.0:
    sizes[scale] = size = abs(scale * upstream.numpy().ravel())
    lost, clipped = np.mean(np.float16(size) == 0.0), np.mean(size > limit)
    print(f"scale {scale:5.0f}: {lost:.0%} become 0,"
          f" {clipped:.0%} exceed {limit}")

for suffix, ink, soft, wrong, right in (
        ("", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plots = plt.subplots(
        2, 1, figsize=(4.9, 3.9), layout="tight", sharex=True)
    for plot, (scale, size) in zip(plots, sizes.items()):
        plot.hist(size, np.logspace(-14, 5, 39), color=soft,
                  weights=np.full(size.size, 100.0 / size.size))
        plot.axvspan(1e-14, zero, color=wrong, alpha=0.15, lw=0)
        plot.text(2e-14, 14, f"0 in float16: {np.mean(size <= zero):.0%}",
                  color=wrong, va="top")
        plot.axvline(limit * scale, color=right, lw=2)
        plot.set(xscale="log", xlim=(1e-14, 1e5), ylim=(0, 15),
                 yticks=[0, 10], yticklabels=["0%", "10%"])
    top, below = plots
    below.axvline(limit, color=wrong, lw=2, ls="--")
    top.set(title="sizes of upstream gradients")
    below.set(title="times 32768", xticks=10.0**np.arange(-12, 5, 4))
    below.tick_params(axis="x", labelsize=13)  # exponents are smaller
    for plot, across, text, color, side in (
            (top, 0.3, "limit 0.5", right, "right"),
            (below, 0.3, f"limit 0.5: clips {clipped:.0%}", wrong, "right"),
            (below, 1e4, "limit\n16384", right, "right")):
        plot.text(across, 14, text, color=color, ha=side, va="top")
    shares = [[bar.get_height() for bar in plot.patches[:38]]
              for plot in plots]
    assert all(round(sum(bars)) == 100 for bars in shares) and [
        plot.texts[0].get_text() for plot in plots] == [
            "0 in float16: 29%", "0 in float16: 1%"], (
        "Two histograms of the sizes of upstream gradients. In float16, 29%"
        " are 0. Times 32768, they move right, and only 1% are 0.")
    edges = [line.get_xdata()[0] for plot in plots for line in plot.lines]
    assert edges == [0.5, 16384, 0.5] and clipped.round(2) == 0.26 and (
        max(sizes[1.0]) < 0.5), (
        "The limit 0.5 was above all of them. Now it clips 26%, and 16384"
        " none.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
