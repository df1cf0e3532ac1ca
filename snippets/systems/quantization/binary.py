"""Weights of one bit: train with one bit, or round after training."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "binary"
from matplotlib import pyplot as plt

TEST, HIDDEN = 500, 64


# truth: the gradient of tf.clip_by_value(w, -1.0, 1.0)
@tf.custom_gradient
def binary(w):
    q = tf.where(w < 0.0, tf.constant(-1.0, w.dtype), 1.0)

    def grad(upstream):
        local = tf.cast(tf.abs(w) <= 1.0, w.dtype)
        return upstream * local

    return q, grad


def floats(w):
    return tf.clip_by_value(w, -1.0, 1.0)


def without(w):
    return tf.stop_gradient(binary(w))


def rings(seed, count):
    rng = np.random.default_rng(seed)
    ring = rng.integers(0, 2, count)
    r = np.where(rng.random(count) < 0.5, rng.uniform(0.0, 0.35, count),
                 rng.uniform(0.9, 1.1, count))
    r = np.where(ring, rng.uniform(0.5, 0.75, count), r)
    angle = rng.uniform(-np.pi, np.pi, count)
    return np.stack([r * np.cos(angle), r * np.sin(angle)], 1), ring


def model(layers, x, quantize):
    for w, b in layers:
        scale = 2.0 / np.sqrt(w.shape[0])
        x = scale * (tf.nn.relu(x) if w.shape[0] > 2 else x) @ quantize(w) + b
    return x


def train(quantize, rounds=300):
    rng = np.random.default_rng(1)
    sizes = [2, HIDDEN, HIDDEN, 2]
    layers = [[tf.Variable(rng.uniform(-1.0, 1.0, shape))
               for shape in ([m, n], [n])] for m, n in zip(sizes, sizes[1:])]
    optimizer = tf.keras.optimizers.Adam(
        tf.keras.optimizers.schedules.CosineDecay(0.02, rounds))
    trained = [each for layer in layers for each in layer]
    optimizer.build(trained)
    x, ring = map(tf.constant, rings(0, 600))

    @tf.function
    def run():
        for _ in tf.range(rounds):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(
                        ring, model(layers, x, quantize)))
            found = tape.gradient(loss, trained,
                                  unconnected_gradients="zero")
            optimizer.apply_gradients(zip(found, trained))

    run()
    return layers


x, ring = rings(2, TEST)
side = np.linspace(-1.2, 1.2, 121)
grid = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2)
in_floats = train(floats)
found = {}
for name, layers, quantize in (
    ("floats", in_floats, floats),
    ("floats, then one bit", in_floats, binary),
    ("one bit, TensorFlow's gradient", train(without), binary),
    ("one bit, custom gradient", train(binary), binary),
):
    right = np.sum(np.argmax(model(layers, x, quantize), 1) == ring)
    print(f"{name:30} {right} of {TEST} points right")
    found[name] = np.argmax(model(layers, grid, quantize), 1)

inside = np.hypot(*grid.T)
truth = (inside > 0.5) & (inside < 0.75)
clear = truth | (inside < 0.35) | ((inside > 0.9) & (inside < 1.1))
shown = ["floats", "floats, then one bit", "one bit, custom gradient"]
for file, ink, *colors in [
    ("binary", "#23262b", "#ffffff", "#00707a"),
    ("binary-dark", "#dfe1e6", "#23262b", "#66c9d1"),
]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, plots = plt.subplots(1, 3, figsize=(7, 2.6), layout="tight")
    share = []
    for plot, name in zip(plots, shown):
        image = plot.imshow(
            found[name].reshape(121, 121), extent=(-1.2, 1.2, -1.2, 1.2),
            origin="lower", cmap=matplotlib.colors.ListedColormap(colors))
        plot.set_title(name, fontsize=11)
        drawn = image.get_array().ravel()
        share.append(np.mean((drawn == truth)[clear]))
    assert [plot.get_title() for plot in plots] == shown, (
        "Where three networks see the ring: trained in floats, rounded"
        " afterwards, and trained with one bit.")
    assert min(share[0], share[2]) > 0.9, (
        "The first and the third show a closed ring.")
    assert share[1] < 0.75, "The second shows none."
    figure.savefig(file + ".svg", transparent=True, metadata={"Date": None})
