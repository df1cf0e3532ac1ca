"""Codes after training, in two dimensions: with and without restarts."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "codebooks figure"
from matplotlib import pyplot as plt

normal = tf.random.stateless_normal
line = 2.0 * tf.range(-1.5, 2.0)
centers = tf.reshape(tf.stack(tf.meshgrid(line, line), -1), [16, 1, 2])
z = centers + 0.25 * normal([16, 32, 2], [1, 2])
z = tf.reshape(z, [512, 2])


def nearest(codes):
    return tf.argmin(tf.norm(z[:, None] - codes, axis=2), 1)


def trained(restart):
    codes = 5.0 * normal([16, 2], [3, 4])
    counts, sums = tf.ones([16]), codes
    for step in range(100):
        ones = tf.one_hot(nearest(codes), 16)
        counts = 0.9 * counts + 0.1 * tf.reduce_sum(ones, 0)
        sums = 0.9 * sums + 0.1 * tf.matmul(ones, z, transpose_a=True)
        if restart:
            mean = tf.reduce_mean(counts)
            dead = counts < 0.1 * mean
            rows = tf.random.stateless_uniform(
                [16], [step, 5], 0, 512, tf.int32)
            counts = tf.where(dead, mean, counts)
            sums = tf.where(dead[:, None], mean * tf.gather(z, rows), sums)
        codes = sums / counts[:, None]
    return codes


results = {"no restart": trained(False), "restart": trained(True)}
used = {}
for name, codes in results.items():
    used[name] = np.isin(range(16), nearest(codes))
    print(f"{name:10}: {used[name].sum():2d} of 16 codes in use")


def draw(name, ink, soft, wrong, right):
    figure, plots = plt.subplots(1, 2, figsize=(4.7, 2.6), layout="tight",
                                 sharex=True, sharey=True)
    for plot, (title, codes) in zip(plots, results.items()):
        alive = used[title]
        plot.plot(*z.numpy().T, ".", color=soft, ms=1.5, alpha=0.5)
        plot.plot(*codes.numpy()[alive].T, "o", color=right, ms=6)
        plot.plot(*codes.numpy()[~alive].T, "x", color=wrong, ms=8, mew=2)
        plot.set_title(f"{title}: {alive.sum()} of 16 in use",
                       color=ink, fontsize=11)
        plot.set_aspect("equal")
        plot.axis("off")
    (_, left, dead), (_, right, none) = (plot.lines for plot in plots)
    far = np.abs(np.transpose(dead.get_data())).max(1)
    assert [plot.get_title() for plot in plots] == [
        f"no restart: {len(left.get_xdata())} of 16 in use",
        "restart: 16 of 16 in use"] and (
        len(left.get_xdata()) == 8) and min(far) > 3, (
        "Vectors in 16 groups, and the codes after training. Without restart"
        " 8 of 16 codes are in use, and crosses outside of the groups are the"
        " dead ones.")
    assert len(right.get_xdata()) == 16 and not len(none.get_xdata()), (
        "With restart all 16 stand among the vectors.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")
