"""The decision as a picture: eight questions, asked from top to bottom."""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "choosing figure"
from matplotlib import pyplot as plt

QUESTIONS = [
    ("Shall no gradient\nflow back at all?", "tf.stop_gradient"),
    ("Is autodiff right, but\nmemory too short?", "tf.recompute_grad"),
    ("Is autodiff right,\nand cheap enough?", "no rule"),
    ("Has another formula the\nsame value, right gradient?",
     "no rule, rewrite it"),
    ("Is the gradient that of x,\nin the shape of x?", "tf.grad_pass_through"),
    ("Is the gradient that of\nanother function s(x)?",
     "stop_gradient identity"),
    ("Is it one operation,\nwithout any gradient?", "tf.RegisterGradient"),
    ("Must it run on other\nbackends of Keras?", "keras.ops.custom_gradient"),
]
LAST = "tf.custom_gradient"


def draw(name, ink, box, line):
    figure = plt.figure(figsize=(4.1, 10.3))
    plot = figure.add_axes([0.0, 0.0, 1.0, 1.0])
    plot.set(xlim=(-0.05, 4.05), ylim=(-10.25, 0.05))
    plot.axis("off")
    word = {"color": ink, "va": "center"}
    for n, (question, choice) in enumerate(QUESTIONS):
        top = -1.22 * n
        plot.add_patch(plt.Rectangle(
            (0, top - 0.66), 4, 0.66, fc=box, ec=line))
        plot.text(0.14, top - 0.33, n + 1, fontsize=16, weight="bold", **word)
        plot.text(0.55, top - 0.34, question, fontsize=15, **word)
        plot.annotate("", (0.25, top - 1.22), (0.25, top - 0.66),
                      arrowprops={"arrowstyle": "->", "color": ink})
        plot.text(0.34, top - 0.94, "no", fontsize=14, **word)
        plot.text(0.76, top - 0.94, f"yes: {choice}", fontsize=13,
                  weight="bold", **word)
    plot.text(0.1, -9.98, LAST, fontsize=16, weight="bold", **word)
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#eef0f3", "#8a919c")
draw("figure-dark.svg", "#dfe1e6", "#2a2e37", "#7d8490")
print(f"{len(QUESTIONS)} questions; after {len(QUESTIONS)} times no: {LAST}")
