"""The norm of the upstream gradient, layer by layer, in a deep chain."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "trace chain"
from matplotlib import pyplot as plt

LAYERS, WIDTH = 40, 32


@tf.custom_gradient
def probe(x):
    def grad(upstream):
        found.append(tf.norm(upstream))
        return upstream

    return tf.identity(x), grad


norms = {}
for gain in 0.5, 1.0, 2.0, 3.0:
    rng = np.random.default_rng(0)
    x = y = tf.constant(rng.normal(size=(WIDTH, 1)))
    found = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        for _ in range(LAYERS):
            W = gain / WIDTH**0.5 * rng.normal(size=(WIDTH, WIDTH))
            y = probe(tf.tanh(W @ y))
        loss = tf.reduce_sum(y) / WIDTH**0.5
    tape.gradient(loss, x)
    norms[gain], first, last = found[::-1], found[-1], found[0]
    factor = (first / last) ** (1 / (LAYERS - 1))
    print(f"gain {gain}  layer {LAYERS}: {last:.2g}"
          f"  layer 1: {first:.2g}  factor per layer {factor:.2f}")


def draw(name, ink):
    figure, plot = plt.subplots(figsize=(7.0, 3.8), layout="tight")
    for (gain, line), style in zip(norms.items(), (":", "--", "-.", "-")):
        plot.semilogy(range(1, LAYERS + 1), line, style, color=ink)
        plot.text(-4, line[0], f"gain {gain}", color=ink, va="center")
    plot.set(xlim=(-5, LAYERS + 0.5), xticks=[1, 10, 20, 30, 40])
    plot.set_xlabel("layer; backward is from right to left", color=ink)
    plot.set_ylabel("norm of upstream", color=ink)
    plot.tick_params(colors=ink)
    plot.spines[:].set_color(ink)
    curves = {text.get_text(): np.log10(line.get_ydata())
              for text in plot.texts for line in plot.lines
              if text.get_position()[1] == line.get_ydata()[0]}
    layers = plot.lines[0].get_xdata()
    straight = np.polyfit(layers, curves["gain 0.5"], 1)
    assert plot.get_yscale() == "log" and list(layers) == [*range(1, 41)] and (
        plot.get_ylabel() == "norm of upstream"), (
        "Norm of the upstream gradient over 40 layers, on a logarithmic"
        " axis;")
    assert len(curves) == 4 and np.ptp([y[-1] for y in curves.values()]) < 1, (
        "all four curves start together at the last layer, on the right.")
    assert 11 < np.ptp(curves["gain 0.5"]) < 12.5 and np.allclose(
        np.polyval(straight, layers), curves["gain 0.5"], atol=0.5), (
        "Toward the first, gain 0.5 falls on a straight line through eleven"
        " powers of ten;")
    assert np.ptp(curves["gain 1.0"]) < 1, "gain 1.0 stays level;"
    for rising in curves["gain 2.0"], curves["gain 3.0"]:
        assert rising[0] > rising[-1] + 1 and any(np.diff(rising) > 0), (
            "gain 2.0 and gain 3.0 rise, unevenly.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("chain.svg", "#23262b")
draw("chain-dark.svg", "#dfe1e6")
