"""A kink, the gradients of a custom function, and all subgradients at 0."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({"svg.hashsalt": "kink slopes", "font.size": 12})


@tf.custom_gradient
def bend(x):
    def grad(upstream):
        return upstream * tf.where(x > 0.0, 2.0, 1.0)

    return tf.where(x > 0.0, 2.0 * x, x), grad


points, h = tf.constant([-0.8, 0.0, 0.6]), 0.5
with tf.GradientTape() as tape:
    tape.watch(points)
    values = bend(points)
slopes = tape.gradient(values, points).numpy()
central = float((bend(h) - bend(-h)) / (2.0 * h))
print("gradients", slopes, " central difference", central)

t = np.linspace(-1.2, 1.2, 49, dtype="float32")
for suffix, ink, soft, band, chosen, wrong in (
        ("", "#23262b", "#5a5e66", "#dcd9cf", "#1a56b0", "#b0123d"),
        ("-dark", "#dfe1e6", "#a6abb6", "#393d47", "#8ab8ff", "#ff8599")):
    plt.rcParams["text.color"] = ink
    figure, plot = plt.subplots(figsize=(4.7, 3.6), layout="tight")
    plot.fill_between(t, np.minimum(t, 2 * t), np.maximum(t, 2 * t),
                      color=band, lw=0)
    plot.plot(t, bend(t), color=ink, lw=1.5)
    ends = np.array([-h, h])
    plot.plot(ends, bend(ends.astype("float32")), "o", color=wrong)
    plot.plot(ends, 0.25 + central * ends, "--", color=wrong, lw=2)
    for at, value, slope in zip(points.numpy(), values.numpy(), slopes):
        dt = np.array([-0.2, 0.2]) / np.hypot(1.0, slope) * 1.5
        plot.plot(at + dt, value + slope * dt, color=chosen, lw=5)
    for across, up, text, color, side in (
            (-0.65, -0.4, f"gradient {slopes[0]:.0f}", chosen, "right"),
            (0.1, -0.5, f"chosen at 0: gradient {slopes[1]:.0f}", chosen,
             "left"),
            (0.5, 1.6, f"gradient {slopes[2]:.0f}", chosen, "right"),
            (-0.1, 0.75, f"central difference {central:.1f}", wrong, "right"),
            (-0.75, -2.3, "slopes 1 to 2:\nsubgradients at 0", soft, "left")):
        plot.text(across, up, text, color=color, ha=side)
    plot.axis("off")
    curve, ends, dashed, *tangents = (
        line.get_xydata() for line in plot.lines)
    steps = np.diff([dashed, *tangents], axis=1)[:, 0]
    assert np.allclose(steps[1:, 1] / steps[1:, 0], [1, 1, 2]), (
        "The kink of y = 2x for positive x and y = x otherwise. The gradients"
        " are 1 on the left, 2 on the right, and 1 at 0.")
    assert steps[0, 1] / steps[0, 0] == 1.5 and np.allclose(dashed, ends), (
        "The central difference is 1.5, the slope of a dashed line between"
        " the two sides.")
    figure.savefig(f"slopes{suffix}.svg", transparent=True,
                   metadata={"Date": None})
