"""How far one extreme example can move a step, with two ways to clip."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "per_example figure", "font.size": 12,
    "axes.titlesize": 12})
LIMIT = 1.0


def around(norms, angles):
    return tf.constant(
        np.stack([norms * np.cos(angles), norms * np.sin(angles)], 1))


def clip_mean(gradients):
    return tf.clip_by_norm(tf.reduce_mean(gradients, 0), LIMIT)


def clip_each(gradients):
    return tf.reduce_mean(tf.clip_by_norm(gradients, LIMIT, axes=[1]), 0)


rng = np.random.default_rng(0)
others = around(rng.uniform(0.5, 1.4, 7), np.linspace(-0.7, 1.7, 7))
circle = around(LIMIT, np.linspace(0.0, 2.0 * np.pi, 61)).numpy()
steps = {}
for name, step in ("mean clipped", clip_mean), ("each clipped", clip_each):
    steps[name] = np.array([step(tf.concat([others, [1000.0 * extreme]], 0))
                            for extreme in circle])
    print(f"{name}: steps up to {np.ptp(steps[name][:, 0]):.2f} apart")

for suffix, ink, soft, *colors in (
        ("", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")):
    plt.rcParams["text.color"] = ink
    figure, plots = plt.subplots(1, 2, figsize=(4.7, 2.7), layout="tight")
    for plot, (name, ends), longest, color in zip(
            plots, steps.items(), (9.0, LIMIT), colors):
        plot.plot(*circle.T, ":", color=soft)
        plot.plot(*ends.T, color=color, lw=4)
        for gradient in tf.clip_by_norm(others, longest, axes=[1]):
            plot.annotate("", gradient, (0, 0), arrowprops={
                "arrowstyle": "->", "color": soft, "shrinkB": 0})
        plot.set_title(f"{name}:\nsteps {np.ptp(ends[:, 0]):.2f} apart")
        plot.set(xlim=(-1.1, 1.3), ylim=(-1.1, 1.35), aspect=1)
        plot.axis("off")
    plots[1].text(-0.22, -0.5, "7 other\nexamples", color=soft, ha="center",
                  va="center")
    (limit, wide), (_, narrow) = (
        [line.get_xydata() for line in plot.lines] for plot in plots)
    assert np.allclose(np.linalg.norm(limit, axis=1), LIMIT) and np.allclose(
        np.linalg.norm(wide, axis=1), LIMIT), (
        "Seven gradients and a dotted circle, the limit. An extreme eighth one"
        " moves the clipped mean all around it.")
    assert np.allclose(np.ptp(narrow, 0), 0.25, atol=0.01), (
        "If each gradient is clipped, the mean stays on a circle 0.25 wide.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
