"""The loss of a weight before and after a step, and two gradients."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "through_update figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})
x = tf.constant(np.linspace(-2.0, 2.0, 10))
many = tf.constant(np.linspace(0.9, 2.1, 121))


def loss(w):  # one for each weight
    return tf.reduce_mean((tf.sin(w[:, None] * x) - tf.sin(1.5 * x))**2, 1)


def after_step(w):
    with tf.GradientTape() as tape:
        tape.watch(w)
        before = loss(w)
    return w - 1.2 * tape.gradient(before, w)


w = tf.constant([1.8], tf.float64)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(w)
    new = after_step(w)
    after = loss(new)
through, at_new = tape.gradient(after, w), tape.gradient(after, new)
print(f"step from {w[0]:.1f} to {new[0]:.2f}")
print(f"gradient: through the step {through[0]:.2f}, at the new weight"
      f" {at_new[0]:.2f}")

for suffix, ink, soft, wrong, right in (
        ("", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plot = plt.subplots(figsize=(4.7, 3.0), layout="tight")
    plot.plot(many, loss(many), "--", color=soft, lw=2)
    plot.plot(many, loss(after_step(many)), color=ink, lw=2)
    t = np.array([-0.1, 0.1])
    for at, slope, color in (w, through, right), (new, at_new, wrong):
        plot.plot(at + t, after + slope * t, color=color, lw=4)
        plot.plot(at, after, "o", color=color, ms=8)
    plot.annotate("", (new[0], after[0]), (w[0], after[0]), arrowprops={
        "arrowstyle": "->", "color": ink, "shrinkA": 8, "shrinkB": 8})
    for across, up, text, color in (
            (1.43, 0.17, "step", ink),
            (2.13, 0.36, "before\nthe step", soft),
            (2.13, 0.18, "after\nthe step", ink),
            (1.87, 0.07, f"gradient through\nthe step: {through[0]:.2f}",
             right),
            (0.9, 0.26, f"gradient at the new\nweight: −{-at_new[0]:.2f}",
             wrong)):
        plot.text(across, up, text, color=color, va="center")
    plot.set(title="loss", xlabel="weight", xlim=(0.85, 2.55),
             ylim=(-0.02, 0.4), xticks=[1, 1.5, 2], yticks=[0, 0.2, 0.4])
    before, later, tangent, start, wrong_tangent, end = (
        line.get_xydata() for line in plot.lines)
    assert np.allclose(end, [[*new, *loss(new)]]) and np.all(
        end[:, 1] == start[:, 1]), (
        "Two curves over a weight: its loss, and its loss after a step. An"
        " arrow leads from a point of the second to one of the first, at the"
        " new weight.")
    assert np.diff(wrong_tangent, axis=0)[0, 1] < 0 < (
        np.diff(tangent, axis=0)[0, 1]), (
        "The gradient through the step is 0.45, the slope of the second; at"
        " the new weight it is −0.32, the slope of the first.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
