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


@says("A custom rule that forgets one factor still runs.")
@over(mode=MODES, x=numbers())
def test_forgetting_runs(mode, x):
    assert mode.gradient(forgetful, x) is not None


@says(
    "The rule forgets `upstream`.",
    "Wrong on purpose: a rule that forgets upstream, and nothing complains.",
    "Put it three times in a row and ask for the slope of $y = x^8$ at 2: the right answer is 1024, the wrong rule says 4, and TensorFlow says nothing.",
    "It returns the local derivative alone.",
    "Each `local` below is right, and the product is lost: the result is the last factor.",
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
    "Each `downstream` is the `upstream` of the next line, and the last one is the"
    " answer: $8 x^7 = 1024$ at $x = 2$.",
    "Read the backward lines from top to bottom: the outermost step comes first.",
)
def test_each_downstream_is_the_next_upstream():
    lines = trace("chain_rule.py").starting("backward")
    assert [each["upstream"] for each in lines[1:]] == [
        each["downstream"] for each in lines[:-1]
    ]
    assert lines[-1]["downstream"] == 8 * 2**7
    assert [each["x"] for each in lines] == [16, 4, 2]


@says("A test with a single step would not have seen it, for there upstream is 1.")
@over(mode=MODES, x=numbers())
def test_one_step_sees_nothing(mode, x):
    one = tf.custom_gradient(lambda x: (x * x, lambda upstream: 2.0 * x))
    assert same(mode.gradient(one, x), mode.gradient(square, x))


@says(
    "Inside `tf.function` Python runs only while TensorFlow traces the graph: once for"
    " each shape and dtype, not once for each call."
)
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
    "An f-string then formats a symbolic tensor, and in the second call `print` does not run.",
    "`tf.print` is part of the graph, and prints in each call.",
    "The print shows no number.",
    "Wrong on purpose: an f-string inside tf.function prints no numbers.",
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
    "The chain rule multiplies one local derivative for each step:",
    "Reverse mode [Baydin et al., 2018] multiplies from the left.",
    r"At each further step, from $x_{i+1}$ to $x_i$, it has three quantities at hand:",
    r"$x_0 = 16$: nothing lies between the output and this step, so $\upstream{\bar y} = 1$; the local derivative is $2 x_0 = 32$.",
    r"$x_1 = 4$: upstream is the 32 that the line above passed on, and $32 \cdot 2 x_1 = 256$.",
    r"$x = 2$: upstream is 256, and $256 \cdot 2 x = 1024$.",
    "The chain rule, printed step by step: y = f(f(f(x))) with f(x) = x².",
    "The function is built from three equal steps, named from the output inward:",
    "At the last step, for example, upstream is the product of two local derivatives:",
    "The upstream gradient is the product of all factors between the output and this step; it is not the product of the factors between this step and the input, for those are still to come.",
    "Each step squares, so one rule serves all three.",
    "TensorFlow calls `grad` on the way back.",
    r"It starts with upstream 1 at the step from $x_0$ to $y$, whose downstream is $\downstream{\d y / \d x_0}$.",
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
    "The upstream gradient has the shape of the output, the downstream gradient the shape of the input; here both are scalars.",
    "One number in, one number out:",
    r"In the code, `upstream` is $\upstream{\bar y}$, `local` is $\local{2x}$, and `downstream` is $\downstream{\bar x}$.",
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


@says(
    "`tf.custom_gradient` takes a function that returns its value and its rule, here `y, grad`."
)
def test_value_and_rule():
    assert square(tf.constant(3.0)) == 9
    alone = tf.custom_gradient(lambda x: x * x)
    assert raised(alone, tf.constant(3.0)) is not None


@says(
    r"This program compares it with two others that do not know it: TensorFlow's own gradient of the plain product, and central differences, $\frac{f(x + h) - f(x - h)}{2h} = f'(x) + O(h^2)$, in float64, at four points.",
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


@says(
    "The sine is the outer step: it is called first, with upstream 1 and $x$ replaced by $x^2 = 4$."
)
def test_the_solution():
    first = trace("solution.py")[0]
    assert first.text.startswith("sine") and (first["upstream"], first["x"]) == (1, 4)


definition(
    "From here on $x$ and $y$ are the input and the output of one step.",
    "$L$ is whatever is differentiated in the end; a bar marks the gradient of $L$ with respect to the symbol below it.",
    "It says how a small change of $x$ moves $y$:",
)
LESSONS = [
    path
    for path in sorted(Path(__file__).parents[3].glob("docs/lessons/*.md"))
    if path.stem != "index"
]


@says(
    "Four steps lead to the rule, the same four in every lesson.",
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
    "Never test a rule against the derivation that produced it.",
    "Test a rule inside something, never alone.",
)
pointer(
    "The chained rule against autodiff and against finite differences.",
    "Solution: two different rules in one chain, y = sin(x²) at x = 2.",
)
advice(
    r"You need the derivatives of $x^2$ and, for the exercise, $\sin x$; and `tf.GradientTape`, which records what is computed from the tensors that it watches, so that `tape.gradient` can walk back.",
    r"Write the rule for $y = \sin x$ with the four steps, chain it after `square`, and predict the two backward lines for the sine of $x^2$ at $x = 2$ before you run it.",
)
pointer("This page shows which factor it is, where it comes from, and how to see it.")
