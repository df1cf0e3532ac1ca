"""A place in the plane from its distances: two paths of z, and the loss."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "complex figure"
from matplotlib import pyplot as plt

stations, paths = np.array([0, 4, 1 + 3j]), {}
squares = np.abs(3 + 2j - stations) ** 2


def loss(z):
    return tf.reduce_sum((tf.abs(z - stations) ** 2 - squares) ** 2, -1)


for name, turn in (("gradient", tf.identity), ("conjugate", tf.math.conj)):
    path, z = [], tf.Variable(1.5 - 1j, dtype=tf.complex128)
    for step in range(61):
        with tf.GradientTape() as tape:
            L = loss(z)
        path.append(z.numpy())
        if step in (0, 1, 6, 60):
            print(f"{name:9} step {step:2}  z {path[-1]:.3f}  L {L:.3g}")
        if abs(path[-1]) > 4:
            break
        z.assign_sub(0.002 * turn(tape.gradient(L, z)))
    paths[name] = np.array(path)
print(f"the conjugate leaves after {len(path) - 1} steps, at L {L:.3g}")

a, b = np.meshgrid(np.linspace(-2, 6, 161), np.linspace(-4, 4, 161))
contours = np.log10(loss((a + 1j * b)[..., None]).numpy() + 1.0)
for suffix, ink, inks, gray in (
        ("", "#23262b", ("#0d6b3c", "#a8400a"), "#b3b8c2"),
        ("-dark", "#dfe1e6", ("#6fd39b", "#ffa366"), "#565c68")):
    parts = ("text.", "axes.edge", "axes.label", "xtick.", "ytick.")
    with plt.rc_context({f"{part}color": ink for part in parts}):
        _, plot = plt.subplots(figsize=(6.4, 4.2), layout="tight")
        plot.contour(a, b, contours, 12, colors=gray, linewidths=0.7)
        plot.plot(stations.real, stations.imag, "^", c=ink, label="stations")
        for name, color, style in zip(paths, inks, ("o-", "s--")):
            plot.plot(paths[name].real, paths[name].imag, style, c=color,
                      ms=4, label=name)
        plot.set(xlim=(-2, 6), ylim=(-4, 4), aspect=1.0, xlabel="Re z",
                 ylabel="Im z")
        plot.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
        drawn = {line.get_label(): line.get_xdata() + 1j * line.get_ydata()
                 for line in plot.lines}
        gradient, conjugate = drawn["gradient"], drawn["conjugate"]
        assert drawn["stations"].tolist() == [0, 4, 1 + 3j] and (
            plot.get_xlabel() == "Re z" and plot.get_ylabel() == "Im z"
            and plot.collections), (
            "Contour lines of the loss in the complex plane, with stations at"
            " 0, 4 and 1 + 3i.")
        line = (gradient - gradient[0]) / (gradient[-1] - gradient[0])
        assert gradient[0] == 1.5 - 1j and (
            abs(gradient[-1] - 3 - 2j) < 0.01 and max(abs(line.imag)) > 0.02
            and loss(gradient[-1]) < 1e-3), (
            "The path of the gradient bends from 1.5 − i up to the minimum at"
            " 3 + 2i.")
        assert conjugate[0] == gradient[0] and all(
            np.diff(conjugate.imag) < 0) and conjugate[-1].imag < -4 and (
            plot.get_ylim()[0] == -4) and all(
            np.diff(abs(np.diff(conjugate))) > 0), (
            "The path of the conjugated gradient starts at the same place and"
            " runs down out of the picture, each step longer than the last.")
        plt.savefig(f"figure{suffix}.svg", transparent=True,
                    metadata={"Date": None})
