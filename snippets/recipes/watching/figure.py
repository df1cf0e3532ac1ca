"""The norm of each layer's gradient in three networks, before training."""

import keras
import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "watching figure"
from matplotlib import pyplot as plt

keras.config.set_floatx("float64")
x = np.random.default_rng(0).normal(size=(256, 8))
y = np.sin(x.sum(1, keepdims=True))


def norms(activation, scale):
    """From the first kernel to the last one."""
    model = keras.Sequential([keras.Input([8])])
    for seed in range(8):
        start = keras.initializers.VarianceScaling(
            scale, "fan_in", "normal", seed=seed)
        model.add(keras.layers.Dense(
            64, activation, use_bias=False, kernel_initializer=start))
    model.add(keras.layers.Dense(1, use_bias=False, kernel_initializer=start))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    return np.array([tf.norm(gradient) for gradient in tape.gradient(
        loss, model.trainable_variables)])


networks = {"sigmoid": norms("sigmoid", 1.0), "ReLU": norms("relu", 2.0)}
for name, of_layers in networks.items():
    print(f"{name:7}", *(f"{each:.1e}" for each in of_layers))


def draw(name, ink, soft, wrong, right):
    figure, plot = plt.subplots(figsize=(4.7, 2.4), layout="tight")
    for of_layers, color in zip(networks.values(), (wrong, right)):
        plot.semilogy(of_layers, "o-", color=color, lw=2, ms=5)
    plot.text(4, 8e-4, "sigmoid", color=wrong, fontsize=12, va="top")
    plot.text(4, 8.0, "ReLU", color=right, fontsize=12, va="bottom")
    plot.set_title("norm of the gradient", color=ink, fontsize=12,
                   loc="left")
    plot.set(xlim=(-0.4, 8.4), xticks=[0, 8], ylim=(1e-6, 100),
             xticklabels=["first layer", "last"], yticks=[1e-6, 1e-3, 1])
    plot.minorticks_off()
    plot.tick_params(colors=ink, labelsize=11)
    plot.spines[:].set_color(soft)
    plot.spines[["top", "right"]].set_visible(False)
    (_, fall), (_, flat) = (line.get_data() for line in plot.lines)
    assert plot.get_yscale() == "log" and len(fall) == 9 and (
        all(np.diff(fall) > 0)) and 5.5 < np.log10(fall[8] / fall[0]) < 6, (
        "The norm of the gradient of nine layers, from the first to the last."
        " With sigmoids it falls by almost six orders of magnitude on the way"
        " to the first layer.")
    assert min(flat) > 0.5 and max(flat) < 5, (
        "With ReLUs it stays between 0.5 and 5.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")
