"""log(1 + e^x) computed in three forms in float32: relative error."""

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
        print(f"{name:17}  {what:8}  two digits right:"
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
    (value, slope), x = ({line.get_label(): line.get_ydata()
                          for line in plot.lines} for plot in axes), exact
    for plot in axes:
        assert plot.get_yscale() == "log" and len(axes) == 2 and all(
            line.get_xdata()[[0, -1]].tolist() == [-30, 100]
            for line in plot.lines), (
            "Relative error in float32 over x from −30 to 100, two panels on a"
            " logarithmic scale.")
    plain = value["as written"]
    bad = x[plain >= 1e-2]
    assert "value" in axes[0].get_title() and all(
        plain == value["official"]) and (
        max(bad[bad < 0]), min(bad[bad > 0])) == (-12.75, 88.75), (
        "Value: the curve as written and the official curve coincide. Two"
        " digits are right from −12.50 to 88.50.")
    assert all(plain[x < -20] == 1.0) and all(plain[x > 88.5] == TOP) and (
        plot.get_yticklabels()[-1].get_text() == "NaN"), (
        "Left of that the error climbs to 1, and beyond 88.50 it is"
        " infinite.")
    official, plain = slope["official"], slope["as written"]
    near = 16 * ROUNDING
    assert "gradient" in axes[1].get_title() and np.allclose(
        official[x < -15], value["official"][x < -15], rtol=0.5) and all(
        official[x > 0] < near), (
        "Gradient: the official curve climbs on the left as it does for the"
        " value, and elsewhere stays at rounding error.")
    lost = max(plain[(x > 78) & (x < 80)]) / max(plain[x < 77])
    assert max(plain[x < 77]) < near and 100 < lost < 3000 and all(
        plain[(x > 87.25) & (x <= 88.5)] == 1.0) and all(
        plain[x > 89] == TOP), (
        "The curve as written stays at rounding error on the left, loses"
        " about three digits at once before 80, and after 87.25 has an error"
        " of 1 and then NaN.")
    assert all(max(each["softplus, sigmoid"]) < near
               for each in (value, slope)), (
        "Softplus with sigmoid stays at rounding error throughout.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#b0123d", "#7a2f7d", "#23262b")
draw("figure-dark.svg", "#ff8599", "#dba6e2", "#dfe1e6")
