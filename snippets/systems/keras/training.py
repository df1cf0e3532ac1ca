"""Hidden units of -1 and 1, trained by fit with and without the surrogate."""

# tracebook: rel=1e-2
import matplotlib
import numpy as np
import tensorflow as tf
from tensorflow import keras

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "keras training"
from matplotlib import pyplot as plt


# truth: the gradient of tf.tanh
@tf.custom_gradient
def sign(x):
    return tf.sign(x), lambda upstream: upstream * (1.0 - tf.tanh(x) ** 2)


class Units(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, x):
        return self.function(x)


def train(function):
    keras.utils.set_random_seed(1)
    hidden = keras.layers.Dense(16)
    model = keras.Sequential([keras.Input([2]), hidden, Units(function),
                              keras.layers.Dense(1)])
    before = hidden.get_weights()
    model.compile(keras.optimizers.Adam(0.03),
                  keras.losses.BinaryCrossentropy(from_logits=True))
    losses = model.fit(x, inside, 64, epochs=40, verbose=0).history["loss"]
    right = np.mean((model(x).numpy() > 0.0) == inside)
    moved = max(abs(a - b).max()
                for a, b in zip(before, hidden.get_weights()))
    return losses, right, moved


x = np.random.default_rng(0).uniform(-1.0, 1.0, [512, 2])
inside = np.sum(x**2, axis=1, keepdims=True) < 0.6
curves = {}
for name, function in (("tf.sign", tf.sign), ("custom gradient", sign),
                       ("tanh", tf.tanh)):
    curves[name], right, moved = train(function)
    print(f"{name:16}  loss {curves[name][0]:.3f} to"
          f" {curves[name][-1]:.3f}  right {right:.2f}"
          f"  hidden weights moved by up to {moved:.3f}")


def draw(name, inks, ink):
    figure, plot = plt.subplots(figsize=(6, 3), layout="tight")
    for (label, losses), color, style in zip(
            curves.items(), inks, (":", "-", "--")):
        plot.plot(losses, style, color=color, label=label)
    plot.set(ylim=(0.0, 0.8), title="loss, epoch by epoch")
    plot.title.set_color(ink)
    plot.tick_params(colors=ink)
    plot.spines[:].set_color(ink)
    plot.legend(labelcolor=ink, framealpha=0.0, ncols=3, fontsize=10)
    losses = {line.get_label(): np.array(line.get_ydata())
              for line in plot.lines}
    assert "loss" in plot.get_title() and {*map(len, losses.values())} == {
        40}, "The loss over 40 epochs."
    level = losses["tf.sign"][5:]
    assert losses["tf.sign"][0] > 0.74 and min(level) > 0.67 and max(
        level) < 0.7, (
        "With tf.sign alone, it soon levels off just below 0.7;")
    assert 2.0 * losses["custom gradient"][-1] < losses[
        "custom gradient"][0], (
        "with the custom gradient it falls to less than half;")
    assert losses["tanh"][-1] < losses["custom gradient"][-1], (
        "tanh itself, which is continuous, ends lower still.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("training.svg", ("#b0123d", "#0d6b3c", "#7a2f7d"), "#23262b")
draw("training-dark.svg", ("#ff8599", "#6fd39b", "#dba6e2"), "#dfe1e6")
