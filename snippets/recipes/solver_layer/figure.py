"""Two solvers, and the slope of the solutions at the ends of their steps."""

import numpy as np
import tensorflow as tf
from matplotlib import pyplot as plt

plt.rcParams.update({
    "svg.hashsalt": "solver_layer figure", "font.size": 12,
    "axes.titlesize": 12, "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False})


def condition(y, x):
    return y + y**3 - x


def newton(x):
    y = [x]
    for _ in range(6):
        y.append(y[-1] - condition(y[-1], x) / (1.0 + 3.0 * y[-1]**2))
    return y


def bisection(x):
    y, low, high = [], 0.0, x
    for _ in range(20):
        y.append((low + high) / 2.0)
        low, high = (low, y[-1]) if condition(y[-1], x) > 0 else (y[-1], high)
    return y


def gradient(y, x):
    inputs = tf.constant(y), tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        F = condition(*inputs)
    A, B = tape.gradient(F, inputs)
    return (-B / A).numpy()


results = []
for name, solver, x in (("Newton", newton, 1.5),
                        ("bisection", bisection, 4.5)):
    steps = solver(x)
    results.append((name, x, steps, gradient(steps[-1], x)))
    print(f"{name:9}: y = {steps[-1]:.2f} at the load {x},"
          f" gradient {results[-1][3]:.2f}")

y = np.linspace(0.0, 1.86, 94)
x = y + y**3
F = max(abs(condition(y, x)))
for suffix, ink, soft, right in (("", "#23262b", "#5a5e66", "#0d6b3c"),
                                 ("-dark", "#dfe1e6", "#a6abb6", "#6fd39b")):
    plt.rcParams.update(dict.fromkeys((
        "text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color"), ink))
    figure, plot = plt.subplots(figsize=(4.7, 3.2), layout="tight")
    plot.plot(x, y, color=ink, lw=2)
    plot.text(8.3, 2.0, f"F(y, x) = {F:g}", ha="right", va="center")
    for name, load, steps, slope in results:
        plot.plot([load] * len(steps), steps, ".-", color=soft, lw=1, ms=9)
        plot.text(load + 0.15, max(steps), name, color=soft, va="center")
        across = np.array([-1.2, 1.2])
        plot.plot(load + across, steps[-1] + slope * across, color=right, lw=4)
        plot.text(load + 0.4, steps[-1] - 0.25, f"gradient {slope:.2f}",
                  color=right, va="center")
    plot.set(title="shift y", xlabel="load x", xlim=(0, 8.4), ylim=(0, 2.4),
             xticks=[0, 2, 4, 6, 8], yticks=[0, 1, 2])
    (at, curve), *others = (line.get_data() for line in plot.lines)
    for (loads, steps), (across, tangent) in zip(others[::2], others[1::2]):
        assert np.allclose(condition(curve, at), 0.0) and (
            abs(np.interp(loads[-1], at, curve) - steps[-1]) < 1e-3), (
            "The curve of all shifts y with F(y, x) = 0 over the load x. The"
            " steps of Newton's method and of bisection end on it.")
        assert all(tangent > np.interp(across, at, curve)), (
            "Each gradient is the slope of the line that touches the curve"
            " there.")
    figure.savefig(f"figure{suffix}.svg", transparent=True,
                   metadata={"Date": None})
