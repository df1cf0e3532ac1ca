"""The norm of a critic's input gradient, with and without a penalty."""

import keras
import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "gradient_penalty figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
keras.config.set_floatx("float64")
noise = 0.1 * np.random.default_rng(0).normal(size=[2, 64, 1])
real, generated = noise[0] + 1.0, noise[1] - 1.0
t = np.linspace(0.0, 1.0, 64)[:, None]
between = tf.constant(t * real + (1.0 - t) * generated)
x = tf.constant(np.linspace(-1.3, 1.3, 65)[:, None])


def norms(critic, points):
    with tf.GradientTape() as tape:
        tape.watch(points)
        scores = critic(points)
    return tf.abs(tape.gradient(scores, points))[:, 0]


def train(factor, steps):
    keras.utils.set_random_seed(0)
    critic = keras.Sequential([keras.Input([1]), keras.layers.Dense(
        32, "tanh"), keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam(0.02)
    optimizer.build(weights := critic.trainable_variables)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            distance = tf.reduce_mean(critic(real) - critic(generated))
            penalty = tf.reduce_mean((norms(critic, between) - 1.0) ** 2)
            loss = factor * penalty - distance
        optimizer.apply(tape.gradient(loss, weights), weights)

    for _ in range(steps):
        step()
    return norms(critic, x).numpy()


curves = {"before training": train(0.0, 0), "penalty": train(10.0, 100),
          "no penalty": train(0.0, 100)}
for name, curve in curves.items():
    print(f"{name:15}  norms from {min(curve):.1f} to {max(curve):.1f}")

for suffix, ink, *colors in (
        ("", "#23262b", "#5a5e66", "#0d6b3c", "#b0123d"),
        ("-dark", "#dfe1e6", "#a6abb6", "#6fd39b", "#ff8599")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "xtick.color", "ytick.color"), ink))
    figure, plot = plt.subplots(figsize=(4.7, 2.8), layout="tight")
    for (name, curve), color, dashes, at in zip(
            curves.items(), colors, ("--", "-", "-"),
            ((0, 0.19), (0, 1.75), (0.8, 100))):
        plot.semilogy(x, curve, dashes, color=color, lw=2.5)
        plot.text(*at, name, color=color, ha="center")
    plot.plot([*generated, *real], [0.13] * 128, "|", color=ink, ms=8)
    plot.set(title="norm of the critic's input gradient", ylim=(0.1, 250),
             xticks=[-1, 1], xticklabels=["generated examples", "real ones"],
             yticks=[0.1, 1, 10, 100], yticklabels=["0.1", "1", "10", "100"])
    plot.minorticks_off()
    before, penalty, none = (line.get_ydata() for line in plot.lines[:3])
    assert plot.get_yscale() == "log" and max(before) < 0.5 and (
        min(penalty) > 0.8 and max(penalty) < 1.2), (
        "The norms of a critic's input gradient from generated to real"
        " examples. Before training, they are below 0.5. With a penalty, all"
        " are near 1.")
    assert none[32] == max(none) > 100, (
        "Without a penalty, they exceed 100 in the middle.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
