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
    plot.set_xlabel("layer; the walk goes from right to left", color=ink)
    plot.set_ylabel("norm of upstream", color=ink)
    plot.tick_params(colors=ink)
    plot.spines[:].set_color(ink)
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("chain.svg", "#23262b")
draw("chain-dark.svg", "#dfe1e6")
