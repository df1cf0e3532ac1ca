"""Fit a disk to an image with boundary integrals as the gradient."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "fit"
from matplotlib import pyplot as plt

N, SUB = 12, 16


def hard(a, b, r):
    """The share of the SUB * SUB points of a pixel inside the disk."""
    at = (tf.range(N * SUB, dtype=a.dtype) + 0.5) / SUB
    inside = (at[:, None] - a) ** 2 + (at - b) ** 2 < r**2
    points = tf.reshape(tf.cast(inside, a.dtype), [N, SUB, N, SUB])
    return tf.reduce_mean(points, [1, 3])


def areas(a, b, r):
    """The exact area inside the disk, for each pixel."""
    x, y = (tf.clip_by_value((tf.range(N + 1, dtype=a.dtype) - c) / r, -1, 1)
            for c in (a, b))
    x, y = tf.meshgrid(x, y, indexing="ij")

    def G(t):
        return (t * tf.sqrt(tf.maximum(1 - t * t, 0)) + tf.asin(t)) / 2

    c, h = tf.sqrt(1 - y * y), tf.abs(y)
    part = (G(tf.clip_by_value(x, -1, -c)) - G(-tf.ones_like(c))
            + h * (tf.clip_by_value(x, -c, c) + c)
            + G(tf.clip_by_value(x, c, 1)) - G(c))
    F = r**2 * (G(x) - G(-tf.ones_like(x)) + tf.sign(y) * part)
    return F[1:, 1:] - F[:-1, 1:] - F[1:, :-1] + F[:-1, :-1]


def along(u, r, alpha, omega):
    """The integrals over the arcs."""
    downstream_a = r * tf.reduce_sum(u * (tf.sin(omega) - tf.sin(alpha)))
    downstream_b = r * tf.reduce_sum(u * (tf.cos(alpha) - tf.cos(omega)))
    downstream_r = r * tf.reduce_sum(u * (omega - alpha))
    return downstream_a, downstream_b, downstream_r


# truth: the gradient of areas; within 1e-3; first derivative only
# truth: a = 4.0 + tf.tanh(a); b = 4.0 + tf.tanh(b); r = 2.0 + tf.tanh(r) / 2
# truth: a.shape.rank == 0; b.shape.rank == 0; r.shape.rank == 0
@tf.custom_gradient
def disk(a, b, r):
    def grad(upstream):
        lines = tf.range(N + 1, dtype=a.dtype)
        ups = tf.acos(tf.clip_by_value((lines - a) / r, -1, 1))
        overs = tf.asin(tf.clip_by_value((lines - b) / r, -1, 1))
        phi = tf.concat([[-np.pi, np.pi], ups, -ups, overs, np.pi - overs], 0)
        phi = tf.sort(tf.where(phi > np.pi, phi - 2 * np.pi, phi))
        alpha, omega = phi[:-1], phi[1:]
        mid = (alpha + omega) / 2
        pixel = tf.stack([a + r * tf.cos(mid), b + r * tf.sin(mid)], 1)
        u = tf.gather_nd(upstream, tf.cast(tf.floor(pixel), tf.int32))
        return along(u, r, alpha, omega)

    return hard(a, b, r), grad


def fit(render, target, p, rounds=150):
    p = tf.Variable(p)
    optimizer = tf.keras.optimizers.Adam(0.05)
    optimizer.build([p])

    @tf.function
    def one():
        with tf.GradientTape() as tape:
            image = render(*tf.unstack(p))
            loss = tf.reduce_sum((image - target) ** 2)
        gradient = tape.gradient(loss, p, unconnected_gradients="zero")
        optimizer.apply_gradients([(gradient, p)])
        return loss

    losses = [one().numpy() for _ in range(rounds)]
    return p.numpy(), losses


wanted, start = np.array([6.4, 5.3, 3.2]), np.array([4.5, 7.1, 2.0])
noise = np.random.default_rng(0).normal(0.0, 0.05, [N, N])
target = hard(*tf.constant(wanted)) + noise
print("wanted      ", wanted, " start", start)
for name, render in (("TensorFlow", hard), ("custom", disk)):
    found, losses = fit(render, target, start)
    print(f"{name:12}", np.abs(found.round(1)),
          f" loss {losses[0]:.1f} to {losses[-1]:.1f}")

turn = np.linspace(-np.pi, np.pi, 100)
for file, ink, *colors in [
    ("fit", "#23262b", "#ffffff", "#8a8f98", "#00707a", "#b0123d"),
    ("fit-dark", "#dfe1e6", "#23262b", "#8a8f98", "#66c9d1", "#ff8599"),
]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, plot = plt.subplots(figsize=(4, 3.4), layout="tight")
    shades = matplotlib.colors.LinearSegmentedColormap.from_list(
        "shades", colors[:2])
    image = plot.imshow(target.numpy().T, origin="lower", cmap=shades,
                        extent=(0, N, 0, N))
    for (a, b, r), mark, color, label in (
        (start, ":", colors[3], "start"),
        (found, "-", colors[2], "fitted"),
    ):
        plot.plot(a + r * np.cos(turn), b + r * np.sin(turn), mark,
                  color=color, label=label)
    plot.legend(frameon=False, fontsize=10)
    assert image.get_array().shape == (12, 12), (
        "A noisy image of a disk, 12 by 12 pixels.")
    off = [np.abs(np.hypot(line.get_xdata() - wanted[0],
                           line.get_ydata() - wanted[1]) - wanted[2]).max()
           for line in plot.lines]
    assert off[0] > 1, (
        "A dotted circle, the start of the fit, is away from the disk.")
    assert off[1] < 0.1, (
        "A solid circle, the result of the fit, follows the edge of the disk.")
    figure.savefig(file + ".svg", transparent=True, metadata={"Date": None})
