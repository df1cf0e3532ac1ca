"""The two paths from the first derivative back to x, with their numbers."""

import matplotlib
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "higher paths"
from matplotlib import pyplot as plt

calls = []


@tf.custom_gradient
def cube(x):
    def grad(upstream):
        copy = tf.identity(x)
        calls.append((copy, upstream))
        return 3.0 * copy ** 2.0 * upstream

    return x ** 3.0, grad


x = tf.constant(10.0)
with tf.GradientTape(persistent=True) as outer:
    outer.watch(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
        L = 0.5 * (y - 5000.0) ** 2.0
    g = tape.gradient(L, x)
copy, u = calls[0]
by_local = outer.gradient(g, copy)
at_u = outer.gradient(g, u)
at_y = outer.gradient(u, y, output_gradients=at_u)
by_upstream = outer.gradient(u, x, output_gradients=at_u)
total = outer.gradient(g, x)
print(f"left path: {by_local:.0f}")
print(f"right path: at u {at_u:.0f}  at the cube {at_y:.0f}"
      f"  at x {by_upstream:.0f}")
print(f"at x: {total:.0f}")


def draw(name, ink, soft, below):
    figure = plt.figure(figsize=(4.4, 3.9))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(0, 4.4), ylim=(-3.85, 0.05))
    plot.axis("off")
    word = {"va": "center", "fontsize": 13}
    boxes = {"g = 3x²u": (2.2, -0.25, 1.95),
             "u = x³ − 5000": (3.25, -1.4, 0.9),
             "cube x³": (3.25, -2.45, 0.9), "x": (2.2, -3.25, 1.95)}
    for text, (a, b, half) in boxes.items():
        plot.add_patch(plt.Rectangle((a - half, b - 0.2), 2 * half, 0.4,
                                     fc="none", ec=soft))
        plot.text(a, b, text, color=ink, ha="center", **word)
    for a, top, low, number in (
            (1.0, -0.45, -3.05, by_local), (3.25, -0.45, -1.2, at_u),
            (3.25, -1.6, -2.25, at_y), (3.25, -2.65, -3.05, by_upstream)):
        plot.annotate("", (a, low), (a, top), arrowprops={
            "arrowstyle": "->", "color": below})
        plot.text(a + 0.1, (top + low) / 2, f"{number:.0f}".replace("-", "−"),
                  color=below, **word)
    plot.text(2.2, -3.67, f"{by_local:.0f} + {by_upstream:.0f} = {total:.0f}"
              .replace("-", "−"), color=below, ha="center", **word)
    texts = {each.get_text(): each.get_position() for each in plot.texts}
    heights = [texts[text][1] for text in boxes]
    assert heights == sorted(heights, reverse=True) and list(boxes) == [
        "g = 3x²u", "u = x³ − 5000", "cube x³", "x"], (
        "Four boxes from top to bottom: g = 3x²u, then on the right"
        " u = x³ − 5000 and the cube, then x.")
    arrows = sorted((each.xyann[0], -each.xyann[1], -each.xy[1])
                    for each in plot.texts if hasattr(each, "arrow_patch"))
    beside = [each.get_text() for start, top, low in arrows
              for each in plot.texts
              if abs(each.get_position()[0] - start - 0.1) < 0.01
              and top < -each.get_position()[1] < low]
    assert len(arrows) == 4 and arrows[0][2] - arrows[0][1] > 2.5 and (
        beside[0] == "−240000"), (
        "An arrow on the left leads straight from g to x and carries"
        " −240000.")
    assert beside[1:] == ["300", "300", "90000"], (
        "On the right, 300 arrives at u, 300 at the cube, and 90000 at x.")
    assert texts["−240000 + 90000 = −150000"][1] < heights[-1], (
        "Below x: −240000 + 90000 = −150000.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("paths.svg", "#23262b", "#5a5e66", "#0d6b3c")
draw("paths-dark.svg", "#dfe1e6", "#a6abb6", "#6fd39b")
