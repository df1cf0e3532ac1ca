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
    "State the (?:function|map)",
    "Write the differential",
    "(?:Take the inner product|Pair it) with the upstream",
    "Read off the (?:gradient function|rule)",
]
PROGRAMS = sorted((DOCS.parent / "snippets").glob("lessons/**/*.py"))


@says(
    "These eight lessons …",
    "Each lesson derives …",
    "The lesson then …",
    "Start with the …",
    "Or start with …",
)
@over(lesson=LESSONS)
def test_each_lesson(lesson):
    assert len(LESSONS) == 8 and len(STEPS) == 4
    places = [re.search(step, lesson).start() for step in STEPS]
    assert places == sorted(places) and "Before you start" in lesson
    heads = re.findall("^## .*{ #(.*) }$", lesson, re.MULTILINE)
    parts = [heads.index(each) for each in ("snippet-and-trace", "check")]
    assert parts == sorted(parts) and parts[-1] < heads.index("where-it-breaks")


@says("The lab turns …")
def test_the_lab():
    menu = (DOCS.parent / "mkdocs.yml").read_text("utf-8")
    _, *lessons = re.findall(r"lessons/(\w+)\.md", menu)
    lab = (DOCS / "labs/sign_training.py").read_text("utf-8")
    fifth, sixth = 5, 6
    read = re.findall(r"lessons/(\w+)/", lab)[:2]
    assert read == [lessons[fifth - 1], lessons[sixth - 1]]
    assert (lessons.index(read[0]) + 1, lessons.index(read[1]) + 1) == (5, 6)
    assert "pyplot" in lab


@says("All pages use …")
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
    "In code, a …",
    r"$\upstream{\bar y}$ — …",
    r"$\downstream{\bar x}$ — …",
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


@says("On paper, a …", "The product of …")
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


@says("In formulas, each …", "The line is …")
def test_each_factor_has_a_color_and_a_line():
    css = (DOCS / "assets/site.css").read_text("utf-8")
    factors = ["upstream", "local", "downstream"]
    colors = {re.search(rf"--{factor}: (#\w+);", css)[1] for factor in factors}
    assert len(colors) == len(factors) == 3
    lines = rf"math \.({'|'.join(factors)}) {{ --stroke: (.*)em; --period: (.*)em; }}"
    share = {
        factor: float(stroke) / float(period)
        for factor, stroke, period in re.findall(lines, css)
    }
    whole, dashed, dotted = (share[factor] for factor in factors)
    assert whole == 1 > dashed > 0.5 >= dotted > 0
    # Strokes as long as they are thick are dots.
    thick = re.search(r"100% max\(1px, (.*)em\)", css)[1]
    assert re.search(r"math \.downstream { --stroke: (.*?)em", css)[1] == thick


@says("In float32, only …")
@over(x=numbers(1e-30, 1e30))
def test_seven_digits(x):
    assert 1e-8 < np.spacing(np.float32(x)) / x < 2e-7


definition(
    "$x$, $y$ — …",
    "$L$ — `loss` …",
    r"$\local{\frac{\d y}{\d x}}$ …",
    "In formulas — …",
    "The text quotes …",
)
pointer(
    "Questions of notation …",
    "Lesson — The …",
    "The chain rule …",
    "Several variables — …",
    "Vectors, one element …",
    "Several outputs — …",
    "A gradient for …",
    "Training through sign …",
    "A kink — …",
    "Shapes, dtypes and …",
)
