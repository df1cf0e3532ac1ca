"""Tensors alive at once in a chain of 64 steps, over the number of blocks."""

import weakref

import matplotlib
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "memory peak"
from matplotlib import pyplot as plt

n, count = 64, {}


def gone():
    count["alive"] -= 1


def steps(x, k):
    for _ in range(k):
        x = tf.sin(x)
        count["alive"] += 1
        count["most"] = max(count["most"], count["alive"])
        weakref.finalize(x, gone)
    return x


def peak(blocks, again):
    count.update(alive=0, most=0)
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
    return count["most"]


numbers = [1, 2, 4, 8, 16, 32, 64]
kept = [peak(blocks, again=False) for blocks in numbers]
again = [peak(blocks, again=True) for blocks in numbers]
print("blocks       ", *(f"{each:2}" for each in numbers))
print("all kept     ", *(f"{each:2}" for each in kept))
print("recomputed   ", *(f"{each:2}" for each in again))


def draw(name, ink, soft, *colors):
    figure, plot = plt.subplots(figsize=(4.4, 3.2), layout="tight")
    for line, color, mark in zip((kept, again), colors, "so"):
        plot.plot(range(len(numbers)), line, mark + "-", color=color, lw=2)
    plot.text(3, 67.5, "without recomputation", color=colors[0], fontsize=12,
              ha="center")
    plot.text(3, 37, "tf.recompute_grad", color=colors[1], fontsize=12,
              ha="center")
    plot.text(3, 8, again[3], color=colors[1], fontsize=12, ha="center")
    plot.set(ylim=(0, 75), yticks=[0, 16, 32, 48, 64])
    plot.set_xticks(range(len(numbers)), numbers)
    plot.set_xlabel("number of blocks", color=ink, fontsize=12)
    plot.set_ylabel("tensors alive at once", color=ink, fontsize=12)
    plot.tick_params(colors=ink, labelsize=11)
    plot.spines[:].set_color(soft)
    ticks = [int(each.get_text()) for each in plot.get_xticklabels()]
    without, with_ = (list(line.get_ydata()) for line in plot.lines)
    assert ticks == [1, 2, 4, 8, 16, 32, 64] and (
        plot.get_ylabel() == "tensors alive at once"), (
        "Tensors alive at once, over 1, 2, 4, 8, 16, 32 and 64 blocks.")
    assert without == [64] * 7, "Without recomputation, a level line at 64."
    assert with_ == with_[::-1] and with_[0] == 65 and min(with_) == 16 and (
        with_.index(16) == ticks.index(8)), (
        "With tf.recompute_grad, a valley: 65 at both ends, and 16 in the"
        " middle, at 8 blocks.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("peak.svg", "#23262b", "#5a5e66", "#b0123d", "#00707a")
draw("peak-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#66c9d1")
