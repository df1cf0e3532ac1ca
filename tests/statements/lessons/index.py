"""What the lessons' first page says of them."""

import re
from pathlib import Path

from truth.statements.tries import *

DOCS = Path(__file__).parents[3] / "docs"
LESSONS = {
    path.stem: path.read_text("utf-8")
    for path in sorted(DOCS.glob("lessons/*.md"))
    if path.stem != "index"
}
STEPS = [
    "State the map",
    "Write the differential",
    "Pair it with the upstream",
    "Read off the rule",
]
PROGRAMS = sorted((DOCS.parent / "snippets").glob("lessons/**/*.py"))


@says(
    "Eight lessons, one idea each.",
    "Every one derives a rule in the same four steps, runs it, prints what goes backward, checks it"
    " against a gradient that does not know the rule, and shows how it breaks.",
    "Read them in order, or enter where your problem is: each says what it needs.",
)
@over(lesson=LESSONS)
def test_each_lesson(lesson):
    assert len(LESSONS) == 8
    places = [lesson.index(step) for step in STEPS]
    assert places == sorted(places) and "Before you start" in lesson
    heads = re.findall("^## .*{ #(.*) }$", lesson, re.MULTILINE)
    parts = [heads.index(each) for each in ("snippet-and-trace", "check")]
    assert parts == sorted(parts) and parts[-1] < heads.index("where-it-breaks")


@says("The lab then turns the fifth and sixth lesson into an experiment, with plots.")
def test_the_lab():
    menu = (DOCS.parent / "mkdocs.yml").read_text("utf-8")
    _, *lessons = re.findall(r"lessons/(\w+)\.md", menu)
    lab = (DOCS / "labs/sign_training.py").read_text("utf-8")
    assert re.findall(r"lessons/(\w+)/", lab)[:2] == lessons[4:6]
    assert "pyplot" in lab


@says("The same signs stand on every page and, by the same names, in every program.")
@over(path=PROGRAMS)
def test_the_names_in_programs(path):
    rules = re.findall(r"def grad\((.*?)\)", path.read_text("utf-8"))
    parameters = {
        each.split("=")[0].strip().lstrip("*").split("_")[0]
        for rule in rules
        for each in rule.split(",")
    }
    assert parameters <= {"upstream", "upstreams", "variables"}, path


@says(
    "A gradient has the shape of the variable it belongs to.",
    r"$\upstream{\bar y}$ — `upstream` — the gradient of $L$ with respect to the output $y$; it arrives"
    " at the rule, with the shape of $y$",
    r"$\downstream{\bar x}$ — `downstream` — the gradient of $L$ with respect to the input $x$; the rule"
    " passes it on, with the shape of $x$",
)
@over(mode=MODES, shape=[(), (2,), (2, 3), (0, 3)])
def test_shapes(mode, shape):
    arrived = []
    rule = tf.custom_gradient(
        lambda x: (
            tf.reduce_sum(x),
            lambda u: arrived.append(u.shape) or tf.fill(x.shape, u),
        )
    )
    assert mode.gradient(rule, tf.ones(shape)).shape == shape and arrived == [()]


@says(
    "Where a Jacobian appears it is written in numerator layout, one row for each output, so that the"
    " upstream gradient is a row vector and multiplies it from the left: a vector–Jacobian product."
)
@over(x=arrays((3,), numbers(0.1, 9)), upstream=arrays((2,), numbers(0.1, 9)))
def test_numerator_layout(x, upstream):
    def f(x):
        return tf.stack([x[0] * x[1], x[2] ** 2])

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(given := tf.constant(x))
        y = f(given)
    jacobian = tape.jacobian(y, given, experimental_use_pfor=False).numpy()
    assert jacobian.shape == (2, 3)
    assert np.allclose(
        upstream @ jacobian, tape.gradient(y, given, output_gradients=upstream), 1e-5
    )


@says(
    "In float32 about seven digits of them are the mathematics'; the rest is rounding."
)
@over(x=numbers(1e-30, 1e30))
def test_seven_digits(x):
    assert 1e-8 < np.spacing(np.float32(x)) / x < 2e-7


definition(
    "$x$, $y$ — `x`, `y` — a primal value: the input and the output of a step",
    "$L$ — `loss` — the number that is differentiated in the end",
    r"$\local{\frac{\d y}{\d x}}$ — `local` — the local derivative: how this step alone moves its output",
    "In formulas — In code — Meaning",
    "Numbers in the text are those of the traces.",
)
pointer(
    "Lesson — The map — What is new",
    "The chain rule — $y = x_0^2$, $x_0 = x_1^2$, $x_1 = x_2^2$ — what upstream is, and what it is not",
    "Several variables — $z = x y$ — one gradient for each input; when it is `None`",
    "Vectors, one element at a time — $y_i = x_i^2$ — a Jacobian that nobody builds",
    r"Several outputs — $z = x y + \sin x$, $w = y^2$ — one upstream for each output",
    r"A gradient for sign — $y = \operatorname{sign} x$ — a gradient that is another function's",
    r"Training through sign — $y = \operatorname{sign}(x)$, $L = \frac{1}{2} (y - 1)^2$ — 100 steps of Adam,"
    " and how a printed result rots",
    r"A kink — $f(t) = \max(t, 2t)$ — a point where there is no derivative",
    r"Shapes, dtypes and None — $y_i = s \, r_i$, $r_i = \sum_j x_{ij}$ — what both passes must agree on",
)
