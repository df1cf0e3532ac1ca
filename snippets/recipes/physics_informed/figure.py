"""What two networks find for -u'' = pi^2 sin(pi x), u(0) = u(1) = 0."""

import keras
import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "physics informed figure"
from matplotlib import pyplot as plt

keras.config.set_floatx("float64")


def trained(activation):
    """A solution with a network of this activation."""
    keras.utils.set_random_seed(0)
    dense = keras.layers.Dense
    network = keras.Sequential([keras.Input([1]), dense(20, activation),
                                dense(20, activation), dense(1)])
    optimizer = keras.optimizers.Adam(0.02)

    def solution(x):
        return x * (1.0 - x) * network(x)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    u = solution(x)
                first = inner.gradient(u, x)
            second = outer.gradient(first, x)
            loss = tf.reduce_mean((second + np.pi**2 * exact) ** 2)
        weights = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

    for _ in range(300):
        step()
    return solution


x = tf.reshape(tf.linspace(tf.zeros([], tf.float64), 1.0, 64), [64, 1])
exact = tf.sin(np.pi * x)
found = {name: trained(name)(x) for name in ("tanh", "relu")}
for name, u in found.items():
    print(f"{name}: u(0.5) = {u[32, 0]:.1f}, largest error"
          f" {tf.reduce_max(tf.abs(u - exact)):.1g}")


def draw(name, ink, soft, wrong, right):
    figure, plot = plt.subplots(figsize=(4.7, 2.3), layout="tight")
    plot.plot(x, exact, color=soft, lw=7, alpha=0.45)
    plot.plot(x, found["tanh"], color=right, lw=2)
    plot.plot(x, found["relu"], "--", color=wrong, lw=2)
    word = {"fontsize": 12, "va": "center"}
    plot.text(0.83, 0.75, "tanh, on sin πx", color=right, **word)
    plot.text(0.5, 0.64, "ReLU", color=wrong, ha="center", **word)
    plot.set_title("−u″ = π² sin πx", color=ink, fontsize=12, loc="left")
    plot.set(xlim=(0, 1.3), xticks=[0, 1], yticks=[0, 1])
    plot.text(0.5, -0.17, "x", color=ink, fontsize=12, ha="center")
    plot.tick_params(colors=ink, labelsize=11)
    plot.spines[:].set_color(soft)
    plot.spines["bottom"].set_bounds(0, 1)
    plot.spines[["top", "right"]].set_visible(False)
    sine, tanh, relu = (line.get_ydata() for line in plot.lines)
    assert plot.get_title("left") == "−u″ = π² sin πx" and (
        np.allclose(sine, np.sin(np.pi * x[:, 0]))) and (
        np.allclose(tanh, sine, atol=1e-3)), (
        "The solution sin πx of −u″ = π² sin πx between 0 and 1, and what two"
        " networks learn. The one with tanh lies on it.")
    assert all(relu[1:-1] < sine[1:-1]) and 0.7 < max(relu) < 0.85, (
        "The one with ReLU stays below, with 0.8 in the middle.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")
