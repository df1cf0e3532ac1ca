"""The mean of a truncated normal, and two gradients of its samples."""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "probability figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
truncated = tfp.distributions.TruncatedNormal
low, high, scale = -1.0, 1.0, 1.5


def plain(loc):
    return truncated(loc, scale, low, high).sample(400_000, seed=[1, 2])


def standardized(loc):
    q = truncated(0.0, 1.0, (low - loc) / scale, (high - loc) / scale)
    return loc + scale * q.sample(400_000, seed=[1, 2])


locs = np.linspace(-1.5, 2.5, 81, dtype="float32")
means = truncated(locs, scale, low, high).mean().numpy()
loc = tf.Variable(0.5)
with tf.GradientTape() as tape:
    ends = tf.stack([tf.reduce_mean(f(loc)) for f in (plain, standardized)])
slopes = tape.jacobian(ends, loc).numpy()
print(f"gradient: plain {slopes[0]:.2f}, standardized {slopes[1]:.2f}")

for suffix, ink, *colors in (
        ("", "#23262b", "#b0123d", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#ff8599", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plot = plt.subplots(figsize=(4.7, 2.8), layout="tight")
    plot.plot(locs, means, color=ink, lw=2)
    for slope, color, half in zip(slopes, colors, (0.22, 0.8)):
        t = np.array([-half, half])
        plot.plot(0.5 + t, means[40] + slope * t, color=color, lw=4)
    plot.text(0.5, 0.24, f"gradient of\nthe samples: {slopes[0]:.2f}",
              color=colors[0], ha="right", va="center")
    plot.text(1.0, 0.05, f"standardized: {slopes[1]:.2f}", color=colors[1])
    plot.set(title="mean of a normal truncated to [−1, 1]", xlabel="loc",
             xticks=[-1, 0, 0.5, 1, 2], yticks=[-0.2, 0, 0.2])
    curve, wrong, right = (line.get_xydata() for line in plot.lines)
    across, up = np.diff(wrong, axis=0)[0]
    assert abs(up / across - 1.0) < 0.005 and np.allclose(
        wrong.mean(0), curve[40]), (
        "The mean of a truncated normal over loc. A line with the gradient of"
        " the samples, 1.00, crosses it.")
    assert np.allclose(np.interp(right[:, 0], *curve.T), right[:, 1],
                       atol=0.01), (
        "With the gradient of the standardized distribution, 0.14, the line"
        " follows it.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
