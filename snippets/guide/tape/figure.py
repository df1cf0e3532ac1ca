"""The tape of a small program, drawn with its values and gradients."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "tape figure"
from matplotlib import colors
from matplotlib import pyplot as plt

STEPS = [("u", "x", "1   u = x²", lambda x: x * x),
         ("v", "u", "2   v = 3u", lambda u: 3.0 * u),
         ("w", "u", "3   w = u²", lambda u: u * u),
         ("L", "vw", "4   L = v w", lambda v, w: v * w)]
PLACE = {"x": (0, 1), "u": (2, 1), "v": (4, 2), "w": (4, 0), "L": (6, 1)}

value, label, arrows = {"x": tf.constant(2.0)}, {"x": "x"}, []
with tf.GradientTape(persistent=True) as tape:
    tape.watch(value["x"])
    for output, inputs, label[output], function in STEPS:
        value[output] = function(*(value[i] for i in inputs))
upstream = tape.gradient(value["L"], value)
for output, inputs, text, _ in STEPS:
    for i in inputs:  # the downstream gradient of this step alone
        part = tape.gradient(value[output], value[i], upstream[output])
        arrows += [(i, output, value[i], 0.2), (output, i, part, -0.2)]
        print(f"{text:12} forward {i} = {value[i]:3g}  upstream"
              f" {upstream[output]:3g}  downstream to {i} {part:3g}")


def draw(name, above, below, ink):
    figure, plot = plt.subplots(figsize=(6.4, 3.2), layout="tight")
    plot.set(xlim=(-0.3, 6.7), ylim=(-0.6, 2.6))
    plot.axis("off")
    for b, word, color in ((2.4, "value", ink), (2.1, "downstream", below),
                           (1.8, "upstream", above)):
        plot.text(-0.2, b, word, color=color)
    text = {"ha": "center", "va": "center"}
    for key, (a, b) in PLACE.items():
        plot.text(a, b, label[key], color=ink, **text,
                  bbox={"fc": "none", "ec": ink, "boxstyle": "round"})
        plot.text(a, b - 0.42, f"{upstream[key]:g}", color=above, **text)
    for start, end, number, side in arrows:
        color = ink if side > 0 else below
        near, far = np.array([[0.65, 0.35], [0.3, 0.7]]) @ [
            PLACE[start], PLACE[end]] + [0, side]
        plot.annotate(f"{number:g}", far, near, color=color, **text,
                      arrowprops={"arrowstyle": "->", "color": color})
    at = {each.get_text(): each.get_position() for each in plot.texts
          if each.get_bbox_patch()}
    under = {name: each.get_text() for name, (a, b) in at.items()
             for each in plot.texts if each.get_position() == (a, b - 0.42)}
    names = ["x", "1   u = x²", "2   v = 3u", "3   w = u²", "4   L = v w"]
    (x, y), (u, _), (v, top), (w, low), (L, _) = (at[name] for name in names)
    assert x < u < v == w < L and low < y < top, (
        "Boxes from left to right: x, then u = x², then two boxes one above"
        " the other, v = 3u on top and w = u² below, then L = v w.")
    carried = {(each.arrow_patch.get_edgecolor(), each.xyann[0] < each.xy[0])
               for each in plot.texts if hasattr(each, "arrow_patch")}
    inks = colors.to_rgba(ink), colors.to_rgba(below)
    assert carried == {(inks[0], True), (inks[1], False)}, (
        "Arrows to the right carry values, arrows to the left downstream"
        " gradients.")
    assert [under[name] for name in names[::-1]] == [
        "1", "12", "16", "144", "576"] and {"48", "96"} < {
        each.get_text() for each in plot.texts if each.get_color() == below}, (
        "Under each box stands its upstream gradient, the sum of what arrives"
        " there: 1 under L, 16 under v, 12 under w, 144 = 48 + 96 under u, 576"
        " under x.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#a8400a", "#0d6b3c", "#23262b")
draw("figure-dark.svg", "#ffa366", "#6fd39b", "#dfe1e6")
