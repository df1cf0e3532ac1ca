"""Four reasons for a custom gradient: what happens without it, and with it."""

import weakref

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "choosing reasons"
from matplotlib import pyplot as plt


@tf.custom_gradient
def stable(x):
    return tf.nn.softplus(x), lambda upstream: upstream * tf.sigmoid(x)


# truth: the gradient of tf.tanh
@tf.custom_gradient
def smooth_sign(x):
    return tf.sign(x), lambda upstream: upstream * (1.0 - tf.tanh(x) ** 2)


def in_numpy(x):
    return tf.constant(np.sin(x.numpy()))


# truth: eager only
@tf.custom_gradient
def sin(x):
    return in_numpy(x), lambda upstream: upstream * tf.cos(x)


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
    assert abs(tape.gradient(y, a) - 1 / 12) < 1e-6
    return count


def with_input_stopped(root):
    # truth: a > 0; first derivative only
    @tf.custom_gradient
    def cube_root(a):
        y = root(tf.stop_gradient(a))
        return y, lambda upstream: upstream / (3.0 * y**2)

    return cube_root


def formula(x):
    return tf.math.log(1.0 + tf.exp(x))


x = tf.constant(np.linspace(-2, 2, 81), tf.float32)
large = tf.range(60.0, 111.0)
steps = [20, 40, 60, 80, 100]
panels = {
    "log(1 + eˣ)": (large, gradient(formula, large), gradient(stable, large)),
    "sign(x)": (x, gradient(tf.sign, x), gradient(smooth_sign, x)),
    "sin(x) in NumPy": (x, gradient(in_numpy, x), gradient(sin, x)),
    "tensors kept": (steps, [kept(n) for n in steps],
                     [kept(n, with_input_stopped) for n in steps])}
for title, (at, without, with_it) in panels.items():
    for k in (28, 29) if title == "log(1 + eˣ)" else (-1,):
        print(f"{title:15} at {at[k]:3g}: autodiff", "None" if without is None
              else f"{without[k]:g}", f" custom {with_it[k]:.4g}")


def draw(name, ink, soft, wrong, right):
    figure, axes = plt.subplots(2, 2, figsize=(4.9, 3.4), layout="tight")
    word = {"fontsize": 11, "va": "center"}
    for n, (plot, title) in enumerate(zip(axes.flat, panels)):
        at, without, with_it = panels[title]
        plot.plot(at, with_it, color=right, lw=3)
        if without is not None:
            plot.plot(at, without, color=wrong, lw=1.5)
        plot.set_title(f"{n + 1}  {title}", color=ink, fontsize=12, loc="left")
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
    long.set(xticks=[20, 100], yticks=[1, 100], ylim=(-10, 110))
    long.set_xticklabels(["20", "100 steps"])
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
        "4, tensors kept: with autodiff as many as the steps, up to 100, with"
        " custom 1.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("reasons.svg", "#23262b", "#5a5e66", "#b0123d", "#0d6b3c")
draw("reasons-dark.svg", "#dfe1e6", "#a6abb6", "#ff8599", "#6fd39b")
