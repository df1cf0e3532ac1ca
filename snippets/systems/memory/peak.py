"""Tensors alive at once in a chain of 64 steps, over the number of blocks."""

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


def alive(blocks, again):
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


numbers = [1, 2, 4, 8, 16, 32, 64]
runs = [[alive(each, again) for again in (False, True)] for each in numbers]
kept, again = ([run[way][:, 1].max() for run in runs] for way in (0, 1))
print("blocks       ", *(f"{each:2}" for each in numbers))
print("all kept     ", *(f"{each:2}" for each in kept))
print("recomputed   ", *(f"{each:2}" for each in again))


def draw(name, ink, soft, *colors):
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(4.4, 5.4), layout="tight")
    at, said = numbers.index(blocks), f"{blocks} block{'s' * (blocks > 1)}"
    for run, color in zip(runs[at], colors):
        above.plot(*run.T, color=color, lw=2)
    for line, color, mark in zip((kept, again), colors, "so"):
        below.plot(range(len(numbers)), line, mark + "-", color=color, lw=2)
    below.plot(at, again[at], "o", mfc="none", mec=ink, ms=15, mew=1.5)
    below.text(at, again[at] + 14, again[at], color=colors[1], fontsize=12,
               ha="center", va="center")
    for x, way, side, color in zip(
            (-1, 130), ("without recomputation", "tf.recompute_grad"),
            ("left", "right"), colors):
        above.text(x, 78, way, color=color, fontsize=11, ha=side, va="center")
    above.set(xlim=(-4, 133), xticks=[0, 32, 64, 96, 128])
    below.set_xticks(range(len(numbers)), numbers)
    for plot, head, foot in ((above, f"one run in {said}", "steps run"),
                             (below, "peak", "number of blocks")):
        plot.set_title(head, color=ink, fontsize=12)
        plot.set_xlabel(foot, color=ink, fontsize=12)
        plot.set_ylabel("tensors alive", color=ink, fontsize=12)
        plot.set(ylim=(0, 88), yticks=[0, 16, 32, 48, 64])
        plot.tick_params(colors=ink, labelsize=11)
        plot.spines[:].set_color(soft)
    without, with_ = (line.get_xydata() for line in above.lines)
    level, valley, ring = (list(line.get_ydata()) for line in below.lines)
    ticks = [int(each.get_text()) for each in below.get_xticklabels()]
    assert [plot.get_ylabel() for plot in figure.axes] == (
        ["tensors alive"] * 2), "Two panels show how many tensors are alive."
    assert above.get_xlabel() == "steps run" and (
        without[:65].tolist() == [[k, k] for k in range(65)]
        and without[64:].tolist() == [[64, k] for k in range(64, -1, -1)]), (
        "Above, over the steps run: without recomputation, a climb to 64 and a"
        " drop to 0.")
    ends = with_[with_[:, 0] == 64][-1, 1]
    tops = [with_[with_[:, 0] == 64 + 64 // blocks * (k + 1)][0, 1]
            for k in range(blocks)]
    left = "1 tensor is" if ends == 1 else f"{ends:g} tensors are"
    high = f"{tops[0]:g} high" if blocks == 1 else (
        f"{tops[0]:g} high at first, and {tops[-1]:g} high at the end")
    assert above.get_title() == f"one run in {said}" and ends == blocks and (
        np.all(np.diff(tops) == -1)), (
        f"With tf.recompute_grad in {said}, {left} alive after 64 steps. Then"
        f" each block that runs again is a tooth, {high}.")
    assert ticks == [1, 2, 4, 8, 16, 32, 64] and level == [64] * 7 and (
        valley == valley[::-1] and valley[0] == 65 and min(valley) == 16 and (
            valley.index(16) == ticks.index(8))), (
        "Below, the peak over 1, 2, 4, 8, 16, 32 and 64 blocks: without"
        " recomputation, a level line at 64; with tf.recompute_grad, a valley:"
        " 65 at both ends, and 16 in the middle, at 8 blocks.")
    assert ring == [max(with_[:, 1])] == [valley[ticks.index(blocks)]], (
        f"A ring marks {said}, with a peak of {ring[0]}.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("peak.svg", "#23262b", "#5a5e66", "#b0123d", "#00707a")
draw("peak-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#66c9d1")
