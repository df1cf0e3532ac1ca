"""A spiking network learns whether a pulse moves up or down its inputs."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "spiking"
from matplotlib import pyplot as plt

INPUTS, HIDDEN, TIMES, TEST = 12, 32, 24, 200

# truth: the gradient of tf.atan(2.0 * v) / 2.0
@tf.custom_gradient
def spike(v):
    def grad(upstream):
        return upstream / (1.0 + 4.0 * v * v)

    return tf.cast(v > 0.0, v.dtype), grad


def without(v):
    return tf.nn.relu(tf.sign(v))


def pulses(seed, count):
    rng = np.random.default_rng(seed)
    up = rng.integers(0, 2, count)
    way = np.where(up, 1, -1)[:, None] * (np.arange(TIMES) // 2)
    at = rng.integers(0, INPUTS, (count, 1)) + way
    x = np.eye(INPUTS)[at % INPUTS]
    noise = rng.random(x.shape) < 0.05
    return np.maximum(x, noise).transpose(1, 0, 2), up


def neurons(weights, x, step):
    """Leaky integrate-and-fire: a spike takes the threshold 1 away."""
    v = s = tf.zeros([x.shape[1], weights.shape[1]], x.dtype)
    potentials, spikes = [], []
    for current in tf.unstack(tf.tensordot(x, weights, 1)):
        v = 0.9 * v + current - s
        s = step(v - 1.0)
        potentials.append(v)
        spikes.append(s)
    return tf.stack(potentials), tf.stack(spikes)


def train(step, rounds=120):
    """The weights; loss and gradient norm of the first and last step."""
    rng = np.random.default_rng(1)
    both = [tf.Variable(rng.normal(0.0, 0.7, [INPUTS, HIDDEN])),
            tf.Variable(rng.normal(0.0, 0.3, [HIDDEN, 2]))]
    optimizer = tf.keras.optimizers.Adam(0.02)
    optimizer.build(both)
    x, up = map(tf.constant, pulses(0, 128))

    @tf.function
    def one():
        with tf.GradientTape() as tape:
            counts = tf.reduce_sum(
                neurons(both[1], neurons(both[0], x, step)[1], step)[1], 0)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(up, counts))
        gradients = tape.gradient(loss, both)
        optimizer.apply_gradients(zip(gradients, both))
        return loss, tf.linalg.global_norm(gradients)

    history = [one() for _ in range(rounds)]
    return both, history[0], history[-1]


x, up = pulses(2, TEST)
for name, step in (
        ("TensorFlow's gradient", without), ("custom gradient", spike)):
    both, first, last = train(step)
    v, s = neurons(both[1], neurons(both[0], x, step)[1], step)
    right = np.sum(np.argmax(tf.reduce_sum(s, 0), 1) == up)
    print(name)
    print(f"  loss {first[0]:.2f} to {last[0]:.2f}"
          f"  norm of the first gradient {first[1]:.2f}")
    print(f"  {right} of {TEST} pulses right")

some = [int(np.argmax(up == which)) for which in (0, 1)]
for file, ink, *colors in [
    ("spiking", "#23262b", "#00707a", "#b0123d"),
    ("spiking-dark", "#dfe1e6", "#66c9d1", "#ff8599"),
]:
    for part in ("text.color", "xtick.color", "ytick.color", "axes.edgecolor"):
        matplotlib.rcParams[part] = ink
    figure, plots = plt.subplots(1, 2, figsize=(6.4, 2.8), layout="tight",
                                 sharey=True)
    above = []
    for plot, which, title in zip(plots, some, ("down", "up")):
        for i, color in enumerate(colors):
            plot.plot(v[:, which, i], color=color, label=("down", "up")[i])
        plot.axhline(1.0, color="#8a8f98", linestyle=":")
        plot.set_title(f"the pulse moves {title}")
        plot.set_xlabel("time", color=ink)
        above.append([np.sum(line.get_ydata() > 1.0)
                      for line in plot.lines[:2]])
    plots[0].legend(frameon=False, fontsize=10)
    assert len(plots) == 2 and len(plots[0].lines[0].get_xdata()) == 24, (
        "Potentials of the two output neurons over 24 times, for two pulses.")
    assert above[0][0] >= above[0][1] + 3, (
        "Where the pulse moves down, the neuron for down crosses the dotted"
        " threshold more often.")
    assert above[1][1] >= above[1][0] + 3, (
        "Where it moves up, the other one does.")
    figure.savefig(file + ".svg", transparent=True, metadata={"Date": None})
