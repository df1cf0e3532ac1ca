"""A Hessian with 144 elements, and its product with a vector, without it."""

import numpy as np
import tensorflow as tf
from matplotlib import colors
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "large_jacobians figure", "font.size": 12})
rng = np.random.default_rng(2)
x, v = tf.constant(rng.normal(size=[6, 3])), rng.normal(size=12)
weights = tf.constant(rng.normal(size=12))  # of two kernels


def gradient(weights):
    with tf.GradientTape() as tape:
        tape.watch(weights)
        hidden = tf.tanh(x @ tf.reshape(weights[:9], [3, 3]))
        L = tf.reduce_mean((hidden @ weights[9:, None] - 1.0)**2)
    return tape.gradient(L, weights)


with tf.GradientTape(persistent=True) as tape:
    tape.watch(weights)
    g = gradient(weights)
Hv, H = tape.gradient(g, weights, v).numpy(), tape.jacobian(g, weights).numpy()
print("H v", Hv[:4].round(3), " from the whole matrix", (H @ v)[:4].round(3))
n = 100_000  # weights of four bytes
print(f"with {n} weights, H has {4 * n**2 / 1e9:g} GB,"
      f" and H v has {4 * n / 1e6:g} MB")

for suffix, ink, page, upstream, local, downstream in (
        ("", "#23262b", "#fdfdfb", "#a8400a", "#1a56b0", "#0d6b3c"),
        ("-dark", "#dfe1e6", "#15171c", "#ffa366", "#8ab8ff", "#6fd39b")):
    plt.rcParams["text.color"] = ink
    shades = colors.LinearSegmentedColormap.from_list(
        "", [upstream, page, local])
    figure, plot = plt.subplots(figsize=(4.7, 3.6), layout="tight")
    for left, array, name, size, color in (
            (0, H, "H", f"12 weights: {H.size} numbers\n{n:,} weights:"
             f" {4 * n**2 / 1e9:g} GB", local), (14, v, "v", "", upstream),
            (18, Hv, "H v", f"{Hv.size} numbers\n{4 * n / 1e6:g} MB",
             downstream)):
        array = array.reshape([12, -1])
        edges = left + np.arange(array.shape[1] + 1)
        most = np.abs(array).max()
        plot.pcolormesh(edges, np.arange(13), array, cmap=shades, vmin=-most,
                        vmax=most)
        plot.plot(edges[[0, -1, -1, 0, 0]], [0, 0, 12, 12, 0], color=color)
        plot.text(edges.mean(), -0.6, name, color=color, ha="center")
        plot.text(edges.mean(), 12.6, size, ha="center", va="top")
    plot.text(13, 6, "×", ha="center", va="center")
    plot.text(16.5, 6, "=", ha="center", va="center")
    plot.set(aspect=1, xlim=(-0.2, 21), ylim=(15.5, -1.5))
    plot.axis("off")
    whole, vector, product = (mesh.get_array() for mesh in plot.collections)
    assert whole.size == 144 and np.allclose(whole, whole.T), (
        "A symmetric matrix H for 12 weights, with 144 colored elements. For"
        " 100,000 weights, it needs 40 GB.")
    assert product.size == 12 and np.allclose(whole @ vector, product), (
        "Times a column v, it gives a column H v, which needs 0.4 MB.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
