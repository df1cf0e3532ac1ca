"""The backward pass of a small program, with its gradients."""

import matplotlib
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "tape figure"
from matplotlib import pyplot as plt

STEPS = [("u", "x", "u = x²", lambda x: x * x),
         ("v", "u", "v = 3u", lambda u: 3.0 * u),
         ("w", "u", "w = u²", lambda u: u * u),
         ("L", "vw", "L = v w", lambda v, w: v * w)]
PLACE = {"x": (0.3, 1), "u": (1.75, 1), "v": (3.25, 1.6), "w": (3.25, 0.4),
         "L": (4.5, 1)}

value, label, downstream = {"x": tf.constant(2.0)}, {"x": "x"}, {}
with tf.GradientTape(persistent=True) as tape:
    tape.watch(value["x"])
    for output, inputs, label[output], function in STEPS:
        value[output] = function(*(value[i] for i in inputs))
upstream = tape.gradient(value["L"], value)
for output, inputs, text, _ in STEPS:
    for i in inputs:  # the downstream gradient of this step alone
        part = tape.gradient(value[output], value[i], upstream[output])
        downstream[output, i] = part
        print(f"{text:8} = {value[output]:3g}  upstream"
              f" {upstream[output]:3g}  downstream to {i} {part:3g}")


def draw(name, ink, soft, above, below):
    figure = plt.figure(figsize=(4.9, 2.3))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(0, 4.9), ylim=(-0.15, 2.15))
    plot.axis("off")
    word = {"ha": "center", "va": "center", "fontsize": 12}
    for key, (a, b) in PLACE.items():
        plot.text(a, b, f"{label[key]}\n{value[key]:g}", color=ink, **word,
                  bbox={"fc": "none", "ec": soft, "boxstyle": "round"})
    for (start, end), number in downstream.items():
        (a, b), (c, d) = PLACE[start], PLACE[end]
        plot.annotate("", (c, d), (a, b), arrowprops={
            "arrowstyle": "->", "color": below, "lw": 1.5,
            "shrinkA": 30, "shrinkB": 30 if end != "x" else 18})
        plot.text((a + c) / 2, (b + d) / 2 + 0.2, f"{number:g}", color=below,
                  **word)
    terms = " + ".join(f"{number:g}" for (_, end), number in
                       downstream.items() if end == "u")
    plot.text(1.75, 0.45, f"{terms} = {upstream['u']:g}", color=above,
              weight="bold", **word)
    plot.text(1.75, 0.15, "upstream of u", color=above, **word)
    plot.text(0.1, 1.9, "downstream gradients", color=below, va="center",
              fontsize=12)
    at = {each.get_text().split("\n")[0]: each.get_position()
          for each in plot.texts}
    (x, y), (u, _), (v, top), (w, low), (L, _) = (
        at[name] for name in ("x", "u = x²", "v = 3u", "w = u²", "L = v w"))
    assert x < u < v == w < L and low < y < top, (
        "Boxes from left to right: x, then u = x², then v = 3u above w = u²,"
        " then L = v w.")
    assert all(each.xyann[0] > each.xy[0] for each in plot.texts
               if hasattr(each, "arrow_patch")) and (
        at["48"][1] > y > at["96"][1]) and u < at["48"][0] < v, (
        "Arrows to the left carry downstream gradients: v sends 48 and w"
        " sends 96 to u.")
    assert "48 + 96 = 144" in at and at["upstream of u"][0] == u and (
        x < at["576"][0] < u), (
        "The upstream gradient of u is 48 + 96 = 144, and one arrow with 576"
        " leads on to x.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#a8400a", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ffa366", "#6fd39b")
