"""When a function and its gradient function are traced, and when they run."""

import matplotlib
import tensorflow as tf

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "graphs lanes"
from matplotlib import pyplot as plt

seen = []


def note(what, x):
    """Return x; note this call or, in a graph, each run of this call."""
    if tf.executing_eagerly():
        seen.append((what, "run"))
        return x

    def when_run(value):
        seen.append((what, "run"))
        return value

    seen.append((what, "trace"))
    noted = tf.numpy_function(when_run, [x], x.dtype)
    return x + tf.stop_gradient(tf.ensure_shape(noted, x.shape) - x)


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * note("grad", x)

    return note("function", x) ** 2.0, grad


def loss(x):
    return square(x) ** 2.0


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    eager = tf.executing_eagerly()
    seen.append(("request", "run" if eager else "trace"))
    return tape.gradient(y, x)


def inside():
    return tf.function(lambda x: gradient(loss, x))


places = {"eager": lambda x: gradient(loss, x), "tape inside": inside()}
for place, graph in ("outside", tf.function(loss)), ("both", inside()):
    places[f"tape {place}"] = lambda x, graph=graph: gradient(graph, x)
lanes = {}
for place, step in places.items():
    lanes[place] = {"tracing": []}
    for number in "step 1", "step 2":
        seen.clear()
        step(tf.constant(3.0))
        lanes[place]["tracing"] += [a for a, how in seen if how == "trace"]
        lanes[place][number] = [a for a, how in seen if how == "run"]
    for phase, events in lanes[place].items():
        print(f"{place:12} {phase:7}:", *events or ["nothing"])


SHAPES = {"function": "s", "grad": "o", "request": "|"}


def draw(name, ink, soft, band, color):
    figure = plt.figure(figsize=(4.4, 3.4))
    plot = figure.add_axes([0, 0, 1, 1])
    plot.set(xlim=(0, 4.4), ylim=(-3.1, 0.3))
    plot.axis("off")
    word = {"fontsize": 12, "va": "center"}
    tints = {"function": ink, "grad": color, "request": soft}

    def mark(x, y, event, fill="full"):
        plot.plot(x, y, SHAPES[event], color=tints[event], mew=2,
                  ms=18 if event == "request" else 10, fillstyle=fill)

    plot.text(0.02, 0.12, "tape", color=soft, **word)
    for n, phase in enumerate(lanes["eager"]):
        plot.text(1.4 + 1.2 * n, 0.12, phase, color=soft, ha="center", **word)
    for row, (place, phases) in enumerate(lanes.items()):
        y = -0.3 - 0.5 * row
        plot.text(0.02, y, place.removeprefix("tape "), color=ink, **word)
        for n, (phase, events) in enumerate(phases.items()):
            left = 0.84 + 1.2 * n
            plot.add_patch(plt.Rectangle((left, y - 0.2), 1.12, 0.4, fc=band))
            for at, event in enumerate(events):
                mark(left + 0.18 + 0.25 * at, y, event,
                     "none" if phase == "tracing" else "full")
    for x, event, what in ((0.1, "function", "function"),
                           (1.4, "grad", "grad"),
                           (2.4, "request", "tape.gradient(…)")):
        mark(x, -2.35, event)
        plot.text(x + 0.17, -2.36, what, color=tints[event], **word)
    for x, fill, what in (0.1, "none", "traced"), (1.4, "full", "runs"):
        mark(x, -2.8, "function", fill)
        mark(x + 0.25, -2.8, "grad", fill)
        plot.text(x + 0.42, -2.81, what, color=ink, **word)

    def marks(place, phase):
        [(_, y)] = [each.get_position() for each in plot.texts
                    if each.get_text() == place]
        [(x, _)] = [each.get_position() for each in plot.texts
                    if each.get_text() == phase]
        here = sorted(((float(line.get_xdata()[0]), line)
                       for line in plot.lines
                       if line.get_ydata()[0] == y
                       and abs(line.get_xdata()[0] - x) < 0.6),
                      key=lambda each: each[0])
        shapes = "".join(line.get_marker() for _, line in here)
        assert {line.get_fillstyle() for _, line in here} <= {
            "none" if phase == "tracing" else "full"}
        return shapes

    phases = ["tracing", "step 1", "step 2"]
    assert len(plot.patches) == 4 * len(phases) and [
        each.get_text() for each in plot.texts[:4]] == ["tape", *phases], (
        "Four rows of marks, one for each place of the tape, in three columns:"
        " tracing, step 1 and step 2.")
    assert [marks("eager", phase) for phase in phases] == [
        "", "s|o", "s|o"], (
        "Eager: nothing is traced, and each step runs the function, then"
        " tape.gradient, then grad.")
    assert [marks("inside", phase) for phase in phases] == [
        "s|o", "so", "so"], (
        "Inside: the function, tape.gradient and grad are traced, and each"
        " step runs the function and grad.")
    assert [marks("outside", phase) for phase in phases] == [
        "so", "s|o", "s|o"], (
        "Outside: the function and grad are traced, and each step runs the"
        " function, then tape.gradient, then grad.")
    assert [marks("both", phase) for phase in phases] == [
        "s|oo", "so|o", "so|o"], (
        "Both: the function, tape.gradient and grad twice are traced, and each"
        " step runs the function, grad, tape.gradient and grad again.")
    figure.savefig(name, transparent=True, metadata={"Date": None})


draw("lanes.svg", "#23262b", "#5a5e66", "#f4f3ee", "#7a2f7d")
draw("lanes-dark.svg", "#dfe1e6", "#a6abb6", "#20232a", "#dba6e2")
