"""The decision as a picture: eight questions, asked from top to bottom."""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "choosing figure"
from matplotlib import pyplot as plt

QUESTIONS = [
    ("Should no gradient\nflow back at all?", "tf.stop_gradient"),
    ("Is autodiff right, but\nneeds too much memory?", "tf.recompute_grad"),
    ("Is autodiff right,\nand cheap enough?", "no custom gradient"),
    ("Does another formula have\nthis value, a right gradient?",
     "use that formula"),
    ("Is the gradient that of x,\nin the shape of x?", "tf.grad_pass_through"),
    ("Is the gradient that of\nanother function s(x)?",
     "stop-gradient trick"),
    ("Is it one operation\nwithout any gradient?", "tf.RegisterGradient"),
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
    said = {each.get_text(): each.get_position()[1] for each in plot.texts}
    boxes = [each.get_y() for each in plot.patches
             if isinstance(each, plt.Rectangle)]
    assert len(QUESTIONS) == 8 and boxes == sorted(boxes, reverse=True) and (
        all(low < said[question] < low + 0.66
            for low, (question, _) in zip(boxes, QUESTIONS))), (
        "The eight questions above as boxes, one below the other.")
    arrows = [each for each in plot.texts
              if isinstance(each, plt.Annotation)]
    no = [each.get_position() for each in plot.texts
          if each.get_text() == "no"]
    assert all(low - 0.56 < said[f"yes: {choice}"] < low
               for low, (_, choice) in zip(boxes, QUESTIONS)), (
        "Below each box is the choice for the answer yes,")
    assert len(no) == 8 and all(
        each.xy[1] < y < each.get_position()[1] and abs(x - each.xy[0]) < 0.1
        for each, (x, y) in zip(arrows, no)), (
        "beside an arrow marked no.")
    assert all(abs(each.xy[1] - low - 0.66) < 1e-9
               for each, low in zip(arrows, boxes[1:])) and (
        said[LAST] < arrows[-1].xy[1] and LAST == "tf.custom_gradient"), (
        "The arrow leads to the next question, and from the last box to"
        " tf.custom_gradient.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#eef0f3", "#8a919c")
draw("figure-dark.svg", "#dfe1e6", "#2a2e37", "#7d8490")
print(f"{len(QUESTIONS)} questions; after {len(QUESTIONS)} times no: {LAST}")
