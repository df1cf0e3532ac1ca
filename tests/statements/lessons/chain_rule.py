"""What the chain rule's page says in words."""

import re
from pathlib import Path

from truth.statements.tries import *


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x * x, grad


def forgetful(x):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda upstream: 2.0 * x

    return square(square(square(x)))


@says("A custom rule …")
@over(mode=MODES, x=numbers())
def test_forgetting_runs(mode, x):
    assert mode.gradient(forgetful, x) is not None


@says(
    "The rule forgets `upstream`.",
    "Wrong on purpose: a rule …",
    "Put it three …",
    "It returns the …",
    "Each `local` below …",
)
def test_forgetting():
    assert trace("chain_rule.py").line("dy/dx")["dy/dx"] == 1024
    wrong = trace("wrong/no_upstream.py")
    backward = wrong.starting("backward")
    assert [line["local"] for line in backward] == [2 * 16, 2 * 4, 2 * 2]
    assert all(line["downstream"] == line["local"] for line in backward)
    assert wrong.line("dy/dx")["dy/dx"] == backward[-1]["local"] == 4
    assert len(wrong) == 4


@says(
    "Each `downstream` is …",
    "Read the backward …",
)
def test_each_downstream_is_the_next_upstream():
    lines = trace("chain_rule.py").starting("backward")
    assert [each["upstream"] for each in lines[1:]] == [
        each["downstream"] for each in lines[:-1]
    ]
    assert lines[-1]["downstream"] == 8 * 2**7
    assert [each["x"] for each in lines] == [16, 4, 2]


@says("A test with …")
@over(mode=MODES, x=numbers())
def test_one_step_sees_nothing(mode, x):
    one = tf.custom_gradient(lambda x: (x * x, lambda upstream: 2.0 * x))
    assert same(mode.gradient(one, x), mode.gradient(square, x))


@says("Inside `tf.function` Python …")
@over(first=FLOATS, second=FLOATS)
def test_python_runs_while_tracing(first, second):
    ran = []

    @tf.function
    def graph(x):
        ran.append(x)
        return x

    for shape in ([], [2], []):
        for dtype in (first, second, first):
            graph(tf.ones(shape, dtype))
    assert len(ran) == 2 * len({first, second})


@says(
    "An f-string then …",
    "`tf.print` is part …",
    "The print shows …",
    "Wrong on purpose: an …",
)
def test_an_f_string_in_a_graph():
    lines = [line.text for line in trace("wrong/f_string.py")]
    second = lines.index("call with 3.0")
    of_python = [
        text
        for text in lines
        if text.startswith(("forward  x = Tensor", "backward upstream = Tensor"))
    ]
    of_the_graph = [
        text
        for text in lines
        if text.startswith(("forward", "backward")) and text not in of_python
    ]
    assert of_python == lines[1:3] and len(of_the_graph) == 4
    assert of_the_graph == [*lines[3:5], *lines[second + 1 : second + 3]]


@says(
    "The chain rule multiplies …",
    "Reverse mode [Baydin …",
    "At each further …",
    "$x_0 = 16$: …",
    "$x_1 = 4$: …",
    "$x = 2$: …",
    "The chain rule, …",
    "The function is …",
    "At the last …",
    "The upstream gradient is …",
    "Each step squares, …",
    "TensorFlow calls `grad` …",
    "It starts with …",
)
def test_upstream_is_the_product_of_the_factors_before():
    forward, backward = (
        trace("chain_rule.py").starting(word) for word in ("forward", "backward")
    )
    assert [line["y"] for line in forward] == [line["x"] ** 2 for line in forward]
    assert [line["x"] for line in backward] == [line["x"] for line in forward][::-1]
    product = 1
    for line in backward:
        assert line["upstream"] == product and line["local"] == 2 * line["x"]
        assert line["downstream"] == line["upstream"] * line["local"]
        product *= line["local"]
    to_the_input = backward[1]["local"] * backward[2]["local"]
    assert backward[0]["upstream"] == 1 != to_the_input and product == 1024


@says(
    "The upstream gradient has …",
    "One number in, …",
    "In the code, …",
    "In types: `grad :: upstream(y) → downstream(x)`.",
)
@over(
    mode=MODES,
    loss={n: LOSSES[n] for n in ("dense", "zeros", "sparse")},
    shape=[(2,), (2, 3), (2, 0)],
)
def test_shapes_of_upstream_and_downstream(mode, loss, shape):
    shapes = []

    @tf.custom_gradient
    def total(x):  # so that the shapes of input and output differ
        def grad(upstream):
            shapes.append(upstream.shape)
            return tf.broadcast_to(tf.convert_to_tensor(upstream)[:, None], x.shape)

        return tf.reduce_sum(x, 1), grad

    x = tf.ones((*shape[:1], 4, *shape[1:]))
    assert mode.gradient(total, x, loss).shape == x.shape
    assert {tuple(each) for each in shapes} == {shape}


@says("`tf.custom_gradient` takes a …")
def test_value_and_rule():
    assert square(tf.constant(3.0)) == 9
    alone = tf.custom_gradient(lambda x: x * x)
    assert raised(alone, tf.constant(3.0)) is not None


@says(
    "This program compares …",
)
def test_the_check_has_two_others():
    lines = trace("check.py")
    assert len(lines) == 4
    for line in lines:
        assert (
            line["rule"] == line["autodiff"]
            and abs(line["rule"] - line["differences"]) < 1e-6
        )
        assert line["rule"] == 8 * line["x"] ** 7


@says("The sine is …")
def test_the_solution():
    first = trace("solution.py")[0]
    assert first.text.startswith("sine") and (first["upstream"], first["x"]) == (1, 4)


definition(
    "From here on …",
    "$L$ is whatever …",
    "It says how …",
)
LESSONS = [
    path
    for path in sorted(Path(__file__).parents[3].glob("docs/lessons/*.md"))
    if path.stem != "index"
]


@says(
    "Four steps lead …",
    was="'on every page': some pages of the guide derive no rule",
)
@over(path=LESSONS)
def test_the_four_steps(path):
    steps = re.findall(
        r"^(\d)\. +\*\*([A-Z].*?)[.:]?\*\*", path.read_text(), re.MULTILINE
    )
    assert [number for number, _ in steps][:4] == ["1", "2", "3", "4"]
    for (_, words), begins in zip(
        steps, ("State the map", "Write the differential", "Pair it with", "Read off")
    ):
        assert words.startswith(begins)


advice(
    "Never test a …",
    "Test a rule …",
)
pointer(
    "The chained rule …",
    "Solution: two different …",
)
advice(
    "You need the …",
    "Write the rule …",
)
pointer("This page shows …")
