"""Bias and deviation of three estimators for a bit, over the temperature."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "random figure"
from matplotlib import pyplot as plt

N, c, THETA = 200_000, 0.45, 1.0
theta = tf.fill([N], THETA)
p = tf.sigmoid(THETA).numpy()
exact = p * (1.0 - p) * (1.0 - 2.0 * c)
u = tf.random.stateless_uniform([N], [1, 2], 1e-7, 1.0 - 1e-7)
noise = tf.math.log(u) - tf.math.log1p(-u)  # difference of two Gumbels
z = tf.cast(theta + noise > 0.0, tf.float32)


def judge(name, estimator):
    with tf.GradientTape() as tape:
        tape.watch(theta)
        loss = estimator(theta)
    each = tape.gradient(loss, theta).numpy().astype(np.float64)
    bias, deviation = abs(each.mean() - exact), each.std()
    print(f"{name:16}  bias {bias:.4f}  deviation {deviation:.3f}")
    return bias, deviation


def score(theta):
    log_p = -tf.nn.sigmoid_cross_entropy_with_logits(z, theta)
    return (z - c) ** 2 * log_p


def through(theta):
    p = tf.sigmoid(theta)
    return (p + tf.stop_gradient(z - p) - c) ** 2


def relaxed(tau):
    return lambda theta: (tf.sigmoid((theta + noise) / tau) - c) ** 2


taus = [2.0**i for i in range(-5, 4)]
soft = [judge(f"relaxed {tau}", relaxed(tau)) for tau in taus]
level = {"score function": judge("score function", score),
         "straight through": judge("straight through", through)}

for name, ink, *colors in [
        ("figure", "#23262b", "#7a3fa0", "#00707a", "#b0123d"),
        ("figure-dark", "#dfe1e6", "#cfa0ee", "#66c9d1", "#ff8599")]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.2), layout="tight")
    for at, title in enumerate(["bias", "deviation"]):
        axes[at].plot(taus, [pair[at] for pair in soft], "o-",
                      color=colors[0], label="relaxed")
        for (label, pair), color, style in zip(
                level.items(), colors[1:], ("--", ":")):
            axes[at].plot(taus, [pair[at]] * len(taus), style, color=color,
                          label=label)
        axes[at].set_title(title + ", over the temperature")
        axes[at].set_xscale("log", base=2)
    axes[0].legend(frameon=False)
    left, right = ({line.get_label(): np.array(line.get_ydata())
                    for line in plot.lines} for plot in axes)
    assert all(plot.get_title().endswith("over the temperature")
               and plot.lines[0].get_xdata()[[0, -1]].tolist() == [1 / 32, 8]
               for plot in axes), (
        "Two plots over the temperature from 1/32 to 8.")
    through_, score_ = left["straight through"], left["score function"]
    assert "bias" in axes[0].get_title() and all(
        round(each, 2) == 0.09 for each in through_) and all(
        through_ > left["relaxed"]) and all(through_ > score_), (
        "Left, the bias: the straight-through estimator is level at 0.09,"
        " above all others;")
    top = np.argmax(left["relaxed"])
    assert taus[top] == 0.5 and round(left["relaxed"][top], 2) == 0.03 and (
        max(left["relaxed"][[0, -3]]) < 0.01), (
        "the relaxed bit rises to 0.03 at one half and falls below 0.01 on"
        " both sides of it;")
    assert all(score_ < 0.001), "the score-function estimator is level at 0."
    soft_, level_ = right["relaxed"], right["score function"]
    assert "deviation" in axes[1].get_title() and all(np.diff(soft_) < 0) and (
        f"{soft_[0]:.2f} {soft_[-1]:.2f}" == "0.47 0.00"), (
        "Right, the standard deviation: the relaxed bit falls with each step"
        " from 0.47 to 0.00.")
    below = (soft_ < level_).tolist()
    assert below == [tau >= 1 for tau in taus], (
        "Between 0.5 and 1, it crosses the level of the score-function"
        " estimator.")
    figure.savefig(name + ".svg", transparent=True, metadata={"Date": None})
