"""e^x - 1 and log(1 + x) near 0, in float32: relative error over x."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "stability small"
from matplotlib import pyplot as plt

x = tf.constant(np.logspace(-9, 0, 181), tf.float32)
exact = x.numpy().astype(np.float64)
forms = {"exp(x) - 1": (tf.exp(x) - 1.0, np.expm1(exact)),
         "log(1 + x)": (tf.math.log(1.0 + x), np.log1p(exact)),
         "expm1(x)": (tf.math.expm1(x), np.expm1(exact)),
         "log1p(x)": (tf.math.log1p(x), np.log1p(exact))}
ROUNDING = 2.0**-24
errors = {name: np.maximum(abs(result.numpy() / right - 1.0), ROUNDING)
          for name, (result, right) in forms.items()}
print(f"step of float32 at 1: {np.spacing(np.float32(1.0)):.2g}")
for name, error in errors.items():
    print(f"{name:10}  at x = {x[0]:.0e}: {forms[name][0][0]:.3g}"
          f"  error < 1e-6 everywhere: {np.all(error < 1e-6)}")


def draw(name, wrong, other, ink):
    figure, plot = plt.subplots(figsize=(6, 3))
    for (label, error), color, style in zip(
            errors.items(), (wrong, other, ink, ink), (":", "--", "-", "-.")):
        plot.loglog(exact, error, style, color=color, label=label)
    plot.set_title("relative error over x", color=ink)
    plot.tick_params(colors=ink)
    plot.spines[:].set_color(ink)
    plot.legend(labelcolor=ink, framealpha=0.0)
    assert plot.get_xscale() == plot.get_yscale() == "log" and all(
        np.allclose(line.get_xdata()[[0, -1]], [1e-9, 1])
        for line in plot.lines), (
        "Relative error in float32 over x from 1e-9 to 1, eagerly,"
        " both axes logarithmic.")
    drawn = {line.get_label(): line.get_ydata() for line in plot.lines}
    for label in "exp(x) - 1", "log(1 + x)":
        x, error = exact[exact > 1.2e-7], drawn[label][exact > 1.2e-7]
        bound = error * x / ROUNDING
        assert all(drawn[label][exact < 5e-8] == 1.0) and max(bound) < 4 and (
            error[-1] < 4 * ROUNDING) and any(np.diff(error) > 0), (
            "exp(x) − 1 and log(1 + x) have an error of 1 at the left end."
            " From about 1.2e-7 on, both fall along a straight, jagged line to"
            " rounding error at 1.")
    assert max(*drawn["expm1(x)"], *drawn["log1p(x)"]) < 4 * ROUNDING, (
        "expm1 and log1p stay at rounding error throughout.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("small.svg", "#b0123d", "#7a2f7d", "#23262b")
draw("small-dark.svg", "#ff8599", "#dba6e2", "#dfe1e6")
