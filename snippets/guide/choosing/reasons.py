"""Four reasons for a custom gradient: what happens without it, and with it."""

import weakref

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "choosing reasons"
from matplotlib import pyplot as plt


def custom(function, derivative):
    # truth: the rule is right
    @tf.custom_gradient
    def decorated(x):
        return function(x), lambda upstream: upstream * derivative(x)

    return decorated


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def kept(steps, decorate=lambda root: root):
    """Count the iterates of a cube root that the tape keeps."""
    iterates, a = [], tf.constant(8.0)

    def root(a):
        y = tf.constant(1.0)
        for _ in range(steps):
            y = (2.0 * y + a / y**2) / 3.0
            iterates.append(weakref.ref(y))
        return y

    function = decorate(root)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = function(a)
    count = sum(each() is not None for each in iterates)
    assert steps < 10 or abs(tape.gradient(y, a) - 1 / 12) < 1e-6
    return count


def with_input_stopped(root):
    def decorated(a):
        y = root(tf.stop_gradient(a))
        return y, lambda upstream: upstream / (3.0 * y**2)

    # truth: a > 0; first derivative only
    return tf.custom_gradient(decorated)


def formula(x):
    return tf.math.log(1.0 + tf.exp(x))


def in_numpy(x):
    return tf.constant(np.sin(x.numpy()))


x = tf.constant(np.linspace(-2, 2, 81), tf.float32)
large = tf.constant(np.linspace(60, 110, 201), tf.float32)
steps = range(1, 21)
panels = {
    "1  log(1 + eˣ)": (large, gradient(formula, large), gradient(
        custom(tf.nn.softplus, tf.sigmoid), large)),
    "2  sign(x)": (x, gradient(tf.sign, x), gradient(
        custom(tf.sign, lambda x: 1.0 - tf.tanh(x) ** 2), x)),
    "3  sin(x) in NumPy": (x, gradient(in_numpy, x), gradient(
        custom(in_numpy, tf.cos), x)),
    "4  tensors kept": (
        steps, [kept(n) for n in steps],
        [kept(n, with_input_stopped) for n in steps])}
for title, (_, without, with_it) in panels.items():
    print(f"{title:18} without", "None" if without is None else
          f"{without[-1]:g}", f" with {with_it[-1]:g}")


def draw(name, ink, soft, wrong, right):
    figure, axes = plt.subplots(2, 2, figsize=(4.9, 3.4), layout="tight")
    word = {"fontsize": 11, "va": "center"}
    for plot, title in zip(axes.flat, panels):
        at, without, with_it = panels[title]
        plot.plot(at, with_it, color=right, lw=3)
        if without is not None:
            plot.plot(at, without, color=wrong, lw=1.5)
        plot.set_title(title, color=ink, fontsize=12, loc="left")
        plot.tick_params(colors=ink, labelsize=10)
        plot.spines[:].set_color(soft)
        plot.spines[["top", "right"]].set_visible(False)
        plot.margins(y=0.2)
    unstable, unwanted, numpy, long = axes.flat
    unstable.text(60, 0.8, "autodiff", color=wrong, **word)
    unstable.text(110, 1.17, "custom", color=right, ha="right", **word)
    unstable.text(92, 0.4, "NaN", color=wrong, weight="bold", **word)
    unwanted.text(0, 0.15, "0", color=wrong, weight="bold", **word)
    numpy.text(0, 0.0, "None", color=wrong, weight="bold", ha="center",
               **word)
    unstable.set(xticks=[60, 88], yticks=[0, 1])
    unwanted.set(xticks=[-2, 0, 2], yticks=[0, 1])
    numpy.set(xticks=[-2, 0, 2], yticks=[0, 1])
    long.set(xticks=[1, 20], yticks=[1, 20], xticklabels=["1", "20 steps"])
    lines = [[line.get_ydata() for line in plot.lines] for plot in axes.flat]
    (stable, bad), (tanh, flat), (cos,), (few, many) = map(np.array, lines)
    titles = [plot.get_title("left") for plot in axes.flat]
    assert titles[0] == "1  log(1 + eˣ)" and all(stable == 1.0) and not bad[
        large == 88] and np.isnan(bad[large >= 89]).all(), (
        "Four panels, with the gradient of autodiff and that of a custom"
        " gradient. 1, log(1 + eˣ): autodiff drops from 1 to 0 at 88 and is"
        " NaN from 89 on, custom stays at 1.")
    assert titles[1] == "2  sign(x)" and not any(flat) and (
        max(tanh) == tanh[40] == 1.0), (
        "2, sign(x): autodiff is 0, custom a hump with its top, 1, at 0.")
    assert titles[2] == "3  sin(x) in NumPy" and np.allclose(
        cos, np.cos(x)) and numpy.texts[0].get_text() == "None", (
        "3, sin(x) in NumPy: autodiff returns None, custom cos(x).")
    assert titles[3] == "4  tensors kept" and (
        list(many) == [*steps]) and set(few) == {1}, (
        "4, tensors kept, over 1 to 20 steps: as many as steps with autodiff,"
        " 1 with custom.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("reasons.svg", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c")
draw("reasons-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")
