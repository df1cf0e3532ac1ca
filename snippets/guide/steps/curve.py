"""Errors of three finite differences and a complex step, over the step."""

import matplotlib
import numpy as np

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "checking curve"
from matplotlib import pyplot as plt

FLOOR = 1e-14  # smaller errors are rounding alone; the figure shows 1e-14
x, derivative = 1.3, 3 * 1.3 * 1.3
names = [f"1e-{k}" for k in range(1, 14)]
steps = np.array([float(name) for name in names])


def cube(x):
    return x * x * x


def central(dtype):
    at, h = dtype(x), steps.astype(dtype)
    return (cube(at + h) - cube(at - h)) / (h + h)


quotients = {
    "one-sided, float64": (cube(x + steps) - cube(x)) / steps,
    "central, float64": central(np.float64),
    "central, float32": central(np.float32),
    "complex step": np.array([cube(complex(x, h)).imag / h for h in steps])}
errors = {name: np.maximum(abs(each.astype(float) - derivative), FLOOR)
          for name, each in quotients.items()}

print("step  ", *(f"{name:>18}" for name in errors))
for i, name in enumerate(names):
    print(f"{name:6}", *(f"{each[i]:18.0e}" for each in errors.values()))


def draw(name, ink, colors):
    figure, axes = plt.subplots(figsize=(7.0, 3.6), layout="tight")
    for (label, each), color, mark in zip(errors.items(), colors, "^os."):
        axes.loglog(steps, each, mark + "-", color=color, label=label)
    axes.set(xlabel="step h", ylabel="error of the derivative")
    axes.legend(frameon=False, labelcolor=ink)
    axes.tick_params(colors=ink, which="both")
    for each in (axes.xaxis.label, axes.yaxis.label):
        each.set_color(ink)
    axes.spines[:].set_color(ink)
    curves = {line.get_label(): line.get_data() for line in axes.lines}
    lowest = {label: h[np.argmin(y)] for label, (h, y) in curves.items()}
    assert axes.get_xscale() == axes.get_yscale() == "log" and (
        axes.get_ylabel() == "error of the derivative"
        and axes.get_xlabel() == "step h" and steps[0] == max(steps)), (
        "Error of the derivative over the step h, both axes logarithmic, read"
        " from the right, where steps are large.")
    for label, turn in (("central, float64", 1e-5), ("central, float32", 1e-2),
                        ("one-sided, float64", 1e-8)):
        h, y = curves[label]
        falls = y[h >= turn]
        assert lowest[label] == turn and all(np.diff(falls) < 0) and (
            y[-1] > 100 * min(y)) and (
            min(curves["central, float32"][1])
            > 1000 * min(curves["central, float64"][1])), (
            "Each central difference forms a V: in float64 with its lowest"
            " point at a step of 1e-5, in float32 at 1e-2 and far higher. The"
            " one-sided difference falls until a step of 1e-8 and rises"
            " again.")
    h, y = curves["complex step"]
    assert all(np.diff(y) <= 0) and all(y[h < 1e-6] == min(y)), (
        "The complex step falls and stays at the bottom.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("curve.svg", "#23262b",
     ["#7a3fa0", "#23262b", "#00707a", "#8a8f98"])
draw("curve-dark.svg", "#dfe1e6",
     ["#cfa0ee", "#dfe1e6", "#66c9d1", "#8a8f98"])
