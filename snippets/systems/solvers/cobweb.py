"""The steps of a solver as a cobweb, from a cold and from a warm start."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "implicit cobweb"
from matplotlib import pyplot as plt

x, start = tf.constant(0.1), 0.0


def path(start):
    points = [start]
    with tf.GradientTape() as tape:
        tape.watch(x)
        while len(points) < 2 or abs(points[-1] - points[-2]) > 1e-6:
            points.append(x + 0.5 * tf.sin(points[-1]))
    gradient = tape.gradient(points[-1], x)
    return np.array(points), gradient.numpy()


cold = path(tf.constant(start))
warm = path(tf.constant(cold[0][-1]))
for name, (points, gradient) in ("cold", cold), ("warm", warm):
    print(f"{name}  start {points[0]:.6f}  steps {len(points) - 1:2}"
          f"  tape {gradient:.6f}")
y = warm[0][-1]
print(f"right {1.0 / (1.0 - 0.5 * np.cos(y)):.6f}")


def draw(name, ink, soft, *colors):
    figure, plot = plt.subplots(figsize=(4.3, 4.2), layout="tight")
    grid = np.linspace(-0.02, 0.24, 100, dtype=np.float32)
    plot.plot(grid, grid, "--", color=soft, lw=1.2)
    plot.plot(grid, x + 0.5 * tf.sin(grid), color=ink, lw=1.5)
    points = cold[0]
    plot.plot(np.repeat(points, 2)[:-1],
              np.insert(np.repeat(points[1:], 2), 0, 0.0), color=colors[0],
              lw=2)
    plot.plot(warm[0][0], warm[0][1], "o", color=colors[1], ms=10)
    word = {"fontsize": 12, "va": "center"}
    plot.text(0.235, -0.01, f"cold start: {len(points) - 1} steps, gradient"
              f" {cold[1]:.3f}", color=colors[0], ha="right", **word)
    plot.text(0.165, 0.222, "warm start", color=colors[1], ha="center", **word)
    plot.text(-0.014, 0.152, "x + sin(y) / 2", color=ink, **word)
    plot.text(0.085, 0.062, "y unchanged", color=soft, **word)
    plot.set(xlim=(-0.02, 0.24), ylim=(-0.02, 0.24), aspect=1,
             xticks=[0, 0.1, 0.2], yticks=[0, 0.1, 0.2])
    plot.set_xlabel("y before the step", color=ink, fontsize=12)
    plot.set_ylabel("y after the step", color=ink, fontsize=12)
    plot.tick_params(colors=ink, labelsize=11)
    plot.spines[:].set_color(soft)
    line, curve, stairs, dot = (
        np.array(each.get_xydata()) for each in plot.lines)
    assert np.allclose(line[:, 0], line[:, 1]) and (
        plot.lines[0].get_linestyle() == "--") and np.allclose(
        curve[:, 1], 0.1 + 0.5 * np.sin(curve[:, 0])), (
        "The curve x + sin(y) / 2 and the dashed line on which y is"
        " unchanged.")
    corners = stairs[1::2]
    steps, climb = len(corners), np.diff(corners[:len(corners) // 2, 1])
    assert np.allclose(stairs[0], [start, 0]) and (
        np.allclose(corners[:, 1], 0.1 + 0.5 * np.sin(corners[:, 0]))
        and np.allclose(stairs[2::2, 0], stairs[2::2, 1])
        and np.all(climb > 0) and np.all(np.diff(climb) < 0)), (
        f"From the cold start at {start:g}, a staircase climbs between them,"
        " with shorter and shorter steps,")
    assert np.allclose(stairs[-1], dot[0], atol=1e-5) and np.allclose(
        dot[0, 1], 0.1 + 0.5 * np.sin(dot[0, 0]), atol=1e-5), (
        "to the point where curve and line cross. There, a dot marks the warm"
        " start.")
    assert plot.texts[0].get_text() == (
        f"cold start: {steps} steps, gradient {cold[1]:.3f}"), (
        f"A label gives the {steps} steps and the tape's gradient,"
        f" {cold[1]:.3f}.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("cobweb.svg", "#23262b", "#5a5e66", "#b0123d", "#7a3fa0")
draw("cobweb-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#cfa0ee")
