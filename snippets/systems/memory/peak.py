"""Tensors alive in a chain of 64 steps, while it runs and is recomputed."""

import weakref

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "memory peak"
from matplotlib import pyplot as plt

blocks = 8
n, count = 64, {}


def note(change):
    count["alive"] += change
    count["seen"].append((count["run"], count["alive"]))


def steps(x, k):
    for _ in range(k):
        x = tf.sin(x)
        count["run"] += 1
        note(1)
        weakref.finalize(x, note, -1)
    return x


def alive(again):
    count.update(run=0, alive=0, seen=[(0, 0)])
    y = x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        for _ in range(blocks):
            if again:
                y = tf.recompute_grad(lambda y: steps(y, n // blocks))(y)
            else:
                y = steps(y, n // blocks)
    tape.gradient(y, x)
    del tape, y
    return np.array(count["seen"])


runs = {"without recomputation": alive(False),
        "tf.recompute_grad": alive(True)}
for name, run in runs.items():
    print(f"{name:21}  blocks {blocks:2}  peak {run[:, 1].max()}")


def draw(name, ink, soft, *colors):
    figure, plot = plt.subplots(figsize=(4.4, 2.9), layout="tight")
    for run, color in zip(runs.values(), colors):
        plot.plot(*run.T, color=color, lw=2)
    for x, way, side, color in zip((-1, 130), runs, ("left", "right"), colors):
        plot.text(x, 78, way, color=color, fontsize=11, ha=side, va="center")
    said = f"{blocks} block{'s' * (blocks > 1)}"
    plot.set_title(f"one run in {said}", color=ink, fontsize=12)
    plot.set_xlabel("steps run", color=ink, fontsize=12)
    plot.set_ylabel("tensors alive", color=ink, fontsize=12)
    plot.set(xlim=(-4, 133), xticks=[0, 32, 64, 96, 128],
             ylim=(0, 88), yticks=[0, 16, 32, 48, 64])
    plot.tick_params(colors=ink, labelsize=11)
    plot.spines[:].set_color(soft)
    without, with_ = (line.get_xydata() for line in plot.lines)
    assert plot.get_ylabel() == "tensors alive" and (
        plot.get_xlabel() == "steps run"), "Tensors alive over the steps run."
    assert without[:65].tolist() == [[k, k] for k in range(65)] and (
        without[64:].tolist() == [[64, k] for k in range(64, -1, -1)]), (
        "Without recomputation, a climb to 64 and a drop to 0.")
    ends = with_[with_[:, 0] == 64][-1, 1]
    tops = [with_[with_[:, 0] == 64 + 64 // blocks * (k + 1)][0, 1]
            for k in range(blocks)]
    left = "1 tensor is" if ends == 1 else f"{ends:g} tensors are"
    high = f"{tops[0]:g} high" if blocks == 1 else (
        f"{tops[0]:g} high at first, and {tops[-1]:g} high at the end")
    assert plot.get_title() == f"one run in {said}" and ends == blocks and (
        np.all(np.diff(tops) == -1)), (
        f"With tf.recompute_grad in {said}, {left} alive after 64 steps. Then"
        f" each block that runs again is a tooth, {high}.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("peak.svg", "#23262b", "#5a5e66", "#b0123d", "#00707a")
draw("peak-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#66c9d1")
