"""The tape of x³ + x² at x = 2: recorded downward, read upward."""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "build_a_tape figure"
from matplotlib import pyplot as plt

value, tape = {"x": 2.0}, []
for output, a, sign, b in ("u", "x", "·", "x"), ("v", "u", "·", "x"), (
        "L", "v", "+", "u"):
    local = (value[b], value[a]) if sign == "·" else (1.0, 1.0)
    value[output] = (value[a] * value[b] if sign == "·"
                     else value[a] + value[b])
    tape.append((f"{output} = {a} {sign} {b}", output, (a, b), local))

arrived, sent = {"L": [1.0]}, {}
for _, output, inputs, local in reversed(tape):
    upstream = sum(arrived[output])
    sent[output] = [(upstream * each, i) for each, i in zip(local, inputs)]
    for number, i in sent[output]:
        arrived.setdefault(i, []).append(number)
for text, output, *_ in tape:
    print(f"{text} = {value[output]:g}  upstream {sum(arrived[output]):g}"
          "  sends", *(f"{number:g} to {i}" for number, i in sent[output]))
print("arrived at x:", *arrived["x"])


def total(name):
    terms = " + ".join(f"{each:g}" for each in arrived[name])
    return f"{terms} = {sum(arrived[name]):g}" if "+" in terms else terms


def draw(name, ink, soft, above, below):
    figure = plt.figure(figsize=(4.8, 2.3))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(0, 4.8), ylim=(0.05, 2.35))
    plot.axis("off")
    word = {"va": "center", "fontsize": 12}
    for across, text, color in ((0.5, "the tape", ink),
                                (2.0, "upstream", above),
                                (3.05, "sends", below)):
        plot.text(across, 1.75, text, color=color, **word)
    for row, (text, output, *_) in zip((1.35, 0.85, 0.35), tape):
        plot.add_patch(plt.Rectangle((0.42, row - 0.22), 3.92, 0.44,
                                     fc="none", ec=soft))
        plot.text(0.5, row, f"{text} = {value[output]:g}", color=ink, **word)
        plot.text(2.0, row, total(output), color=above, **word)
        plot.text(3.05, row, ", ".join(
            f"{number:g} to {i}" for number, i in sent[output]),
            color=below, **word)
    plot.text(0.5, 2.15, f"x = {value['x']:g}", color=ink, **word)
    plot.text(4.34, 2.15, f"gradient of x: {total('x')}", color=below,
              ha="right", **word)
    for across, start, end, color, text, side in (
            (0.3, 1.57, 0.13, ink, "record", 0.14),
            (4.46, 0.13, 1.57, below, "read back", 4.64)):
        plot.annotate("", (across, end), (across, start), arrowprops={
            "arrowstyle": "->", "color": color, "lw": 2})
        plot.text(side, 0.85, text, color=color, rotation=90, ha="center",
                  **word)
    at = {each.get_position(): each.get_text() for each in plot.texts}
    down, up = ((each.xy[1] - each.xyann[1], each.xy[0])
                for each in plot.texts if hasattr(each, "arrow_patch"))
    rows = [[at[across, row] for across in (0.5, 2.0, 3.05)]
            for row in (1.35, 0.85, 0.35)]
    assert down[0] < 0 < up[0] and down[1] < up[1] and at[0.5, 2.15] == (
        "x = 2") and [row[0] for row in rows] == [
        "u = x · x = 4", "v = u · x = 8", "L = v + u = 12"], (
        "Three entries recorded downward: u = x · x = 4, v = u · x = 8,"
        " L = v + u = 12.")
    assert rows[2][1:] == ["1", "1 to v, 1 to u"] and rows[1][1:] == [
        "1", "2 to u, 4 to x"] and rows[0][1:] == [
        "1 + 2 = 3", "6 to x, 6 to x"], (
        "Read upward, upstream 1 at L sends 1 to v and u; 1 at v sends 2 to u"
        " and 4 to x; 1 + 2 = 3 at u sends 6 twice to x.")
    assert at[4.34, 2.15] == "gradient of x: 4 + 6 + 6 = 16", (
        "The gradient of x is 4 + 6 + 6 = 16.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("figure.svg", "#23262b", "#5a5e66", "#a8400a", "#0d6b3c")
draw("figure-dark.svg", "#dfe1e6", "#a6abb6", "#ffa366", "#6fd39b")
