"""Three ways to log(1 + e^x) in float32: relative error over x."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "stability figure"
from matplotlib import pyplot as plt

x = tf.Variable(np.linspace(-30, 100, 521), dtype=tf.float32)
with tf.GradientTape() as tape:
    e = tf.exp(x)
    y = tf.math.log(1.0 + e)
forms = {"as written": (y, tape.gradient(y, x)),
         "official": (y, 1.0 - 1.0 / (1.0 + e)),
         "softplus, sigmoid": (tf.nn.softplus(x), tf.sigmoid(x))}
exact = x.numpy().astype(np.float64)
reference = np.logaddexp(0.0, exact), 1.0 / (1.0 + np.exp(-exact))

TOP, ROUNDING = 1e2, 2.0**-24  # inf and NaN are drawn at the top
errors = {}
for name, results in forms.items():
    errors[name] = [
        np.nan_to_num(abs(a.numpy() / b - 1.0), nan=TOP, posinf=TOP)
        for a, b in zip(results, reference)]
    for what, error in zip(("value", "gradient"), errors[name]):
        bad = exact[error >= 1e-2]
        good = exact[(exact > max(bad[bad < 0], default=-np.inf))
                     & (exact < min(bad[bad > 0], default=np.inf))]
        print(f"{name:17}  {what:8}  two digits hold:"
              f" {good[0]:6.2f} <= x <= {good[-1]:6.2f}")


def draw(name, wrong, other, ink):
    figure, axes = plt.subplots(2, 1, figsize=(6, 5), sharex=True)
    for at, plot in enumerate(axes):
        for (label, both), color, style in zip(
                errors.items(), (wrong, other, ink), (":", "--", "-")):
            plot.semilogy(exact, np.maximum(both[at], ROUNDING), style,
                          color=color, label=label)
        plot.set_title(f"error of the {['value', 'gradient'][at]}", color=ink)
        plot.set_yticks([1e-7, 1e-3, 1, TOP],
                        ["1e-7", "1e-3", "1", ["inf", "NaN"][at]])
        plot.tick_params(colors=ink)
        plot.spines[:].set_color(ink)
    axes[0].legend(labelcolor=ink, framealpha=0.0, loc="upper center")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#b0123d", "#7a2f7d", "#23262b")
draw("figure-dark.svg", "#ff8599", "#dba6e2", "#dfe1e6")
