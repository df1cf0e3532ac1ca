"""The argmax of three numbers and its soft replacement, as one grows."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "choices figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
largest = np.linspace(0.0, 2.0, 200)
x = tf.stack([tf.ones(200), 0.5 * tf.ones(200),
              tf.constant(largest, tf.float32)], 1)


def soft_argmax(beta):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.range(3.0) * tf.nn.softmax(beta * x), -1)
    return y.numpy(), tape.gradient(y, x)[:, 2].numpy()


hard = tf.argmax(x, 1).numpy()
soft = {beta: soft_argmax(beta) for beta in (2.0, 10.0)}
for beta, (y, slopes) in soft.items():
    print(f"beta {beta:4}: from {min(y):.2f} to {max(y):.2f},"
          f" gradient at the end {slopes[-1]:.4f}")

for suffix, ink, *colors in (
        ("", "#23262b", "#b0123d", "#0d6b3c", "#5a5e66"),
        ("-dark", "#dfe1e6", "#ff8599", "#6fd39b", "#a6abb6")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plot = plt.subplots(figsize=(4.7, 2.8), layout="tight")
    curves = (hard, *(y for y, _ in soft.values()))
    for y, color, dashes in zip(curves, colors, ("-", "-", "--")):
        plot.plot(largest, y, dashes, color=color, lw=2.5)
    names = ["tf.argmax", *(f"soft, β = {beta:.0f}" for beta in soft)]
    for across, up, name, color in zip(
            (1.05, 1.5, 0.18), (0.08, 1.2, 0.18), names, colors):
        plot.text(across, up, name, color=color)
    plot.set(title="position of the largest of 1, 0.5 and x", xlabel="x",
             xticks=[0, 1, 2], yticks=[0, 1, 2])
    step, wide, narrow = (line.get_ydata() for line in plot.lines)
    assert np.all(step == np.where(largest > 1.0, 2, 0)), (
        "The position of the largest of 1, 0.5 and x. The argmax is 0 until x"
        " exceeds 1, and then 2.")
    assert np.all(np.diff(wide) > 0) and (
        max(np.diff(narrow)) > 2.0 * max(np.diff(wide))), (
        "The soft argmax rises smoothly, and faster if β is larger.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
