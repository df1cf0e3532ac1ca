"""What a tape differentiates in the trick: tanh, moved by a constant."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "stop_gradient figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
x = tf.constant(0.5)
with tf.GradientTape() as tape:
    tape.watch(x)
    y, s = tf.sign(x), tf.tanh(x)
    c = tf.stop_gradient(y - s)
    z = s + c
slope = float(tape.gradient(z, x))
print(f"y = {y:.4f}  s = {s:.4f}  c = {c:.4f}  gradient {slope:.4f}")

t, near = np.linspace(-1.6, 1.6, 161), np.array([0.2, 0.8])
for suffix, ink, soft, blue, green in (
        ("", "#23262b", "#5a5e66", "#1a56b0", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#a6abb6", "#8ab8ff", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plot = plt.subplots(figsize=(4.7, 3.2), layout="tight")
    plot.plot(t, np.where(t == 0.0, np.nan, np.sign(t)), color=ink, lw=2)
    plot.plot(t, np.tanh(t), color=soft, lw=2)
    plot.plot(t, np.tanh(t) + c, "--", color=blue, lw=2)
    plot.plot(near, z + slope * (near - x), color=green, lw=5)
    plot.annotate("", (x, z), (x, s), arrowprops={
        "arrowstyle": "->", "color": blue, "shrinkA": 0, "shrinkB": 3})
    for across, up, text, color in (
            (0.05, -1.04, "y = sign(x)", ink),
            (1.0, 0.5, "s = tanh(x)", soft),
            (0.54, 0.8, f"c = {c:.2f}", blue),
            (-1.6, 0.3, "the tape differentiates\ns + a constant c", blue),
            (-0.02, 1.3, f"gradient {slope:.2f}", green)):
        plot.text(across, up, text, color=color)
    plot.set(title="value", xlabel="x", yticks=[-1, 0, 1],
             xticks=[-1, 0, 0.5, 1], xticklabels=["−1", "0", "0.5", "1"])
    sign, tanh, moved, tangent = (line.get_xydata() for line in plot.lines)
    assert set(sign[t != 0.0, 1]) == {-1.0, 1.0} and np.allclose(
        moved[:, 1] - tanh[:, 1], 0.54, atol=0.01), (
        "The step of sign, and tanh. An arrow c leads up from tanh to the sign"
        " at x = 0.5. A dashed curve is tanh, moved up by c everywhere.")
    at = np.interp(0.5, *moved.T), np.interp(0.5, *tangent.T)
    rise = np.diff(tangent, axis=0)[0]
    assert np.allclose(at, 1.0, atol=1e-3) and f"{rise[1] / rise[0]:.2f}" == (
        "0.79"), (
        "At 0.5, it has the value of the sign, 1, and the derivative of tanh,"
        " 0.79.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
