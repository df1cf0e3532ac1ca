"""The tape of a small program, drawn with the numbers that flowed."""

import matplotlib
import numpy as np
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "tape figure"
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
    for i in inputs:  # the part of this step alone
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
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#a8400a", "#0d6b3c", "#23262b")
draw("figure-dark.svg", "#ffa366", "#6fd39b", "#dfe1e6")
