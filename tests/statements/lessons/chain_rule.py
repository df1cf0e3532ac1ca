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
        x = tf.identity(x)  # or a branch raises, whatever the formula
        return x * x, lambda upstream: 2.0 * x

    return square(square(square(x)))


@says("Forgetting `upstream` usually …", "But if the …")
@over(mode=EVERYWHERE)
def test_forgetting_raises_nothing(mode):
    once = tf.custom_gradient(lambda x: (x * x, lambda _: 2.0 * tf.identity(x)))
    upstreams = 1.0, 3.0

    def all_of(x, *others):
        within = [u * once(tf.identity(x)) for u, x in zip(upstreams, others)]
        return [forgetful(x), *within]

    found = mode.gradients(all_of, 2.0, 2.0, 2.0)
    assert same(found[0], 4.0)
    for upstream, its in zip(upstreams, found[1:]):
        assert same(its, upstream * 4.0) == (upstream == 1)
    plain = EAGER.gradient(lambda x: x**8, 2.0)
    assert (
        same(plain, 1024.0, 1e-6) and same(plain / 512, 2.0, 1e-6) and 1024 == 8 * 2**7
    )
    assert "y = f(f(f(x)))" in source("chain_rule.py")  # y = x^8


@says(
    "`square` has the …",
    "But it fails …",
    "The call of the …",
    "Suppose that the …",
    "Then `square` raises …",
    "The function `copied` …",
    "`copied` gets the …",
    "Deliberately wrong: in …",
)
@over(mode=EVERYWHERE, given=["its argument", "others"])
def test_a_branch(mode, given):
    copied = program("wrong/branch.py").copied
    call = {
        "its argument": square,
        # The input is made in the branch, or copied there.
        "others": lambda x: square(1.0 * x) + 10.0 * copied(x),
    }[given]
    fails = given == "its argument" and "branch" in mode.name
    outside = mode in OUTSIDE
    asked = message(mode.gradient, call, 2.0).startswith("AssertionError")
    assert asked == (fails and (outside or "loop" in mode.name))
    if asked:
        called = message(mode.value, call, 2.0).startswith("AssertionError")
        assert called == (fails and outside)
    else:
        right = 4.0 if given == "its argument" else 4.0 + 40.0
        assert same(mode.gradient(call, 2.0), right)
    if mode is EAGER:  # by hand, without the mode's own branch
        branch = tf.function(lambda x: tf.cond(x > 0.0, lambda: call(x), lambda: x))
        assert message(AROUND.gradient, branch, 2.0).startswith("Asser") == (
            given == "its argument"
        )


@says(
    "Suppose that the …",
    "Then `square` raises …",
    was="'inside a loop': a loop of Python is none in the graph",
)
@over(loop=["of the graph", "of Python"])
def test_a_branch_in_a_loop(loop):
    def branch(x):
        return tf.cond(x > 0.0, lambda: square(x), lambda: x)

    def repeated(x):
        if loop == "of Python":
            return branch(branch(x))
        body = lambda i, x: (i + 1, branch(x))  # noqa: E731
        return tf.while_loop(lambda i, x: i < 2, body, (0, x))[1]

    said = message(INSIDE.gradient, repeated, 2.0)
    assert said.startswith("AssertionError") == (loop == "of the graph")
    assert said or same(INSIDE.gradient(repeated, 2.0), 32.0)


@says(
    "Deliberately wrong: a gradient …",
    "This gradient function …",
    "Each `local` is …",
)
def test_forgetting():
    assert trace("chain_rule.py").line("dy/dx")["dy/dx"] == 1024
    wrong = trace("wrong/no_upstream.py")
    backward = wrong.starting("backward")
    assert [line["local"] for line in backward] == [2 * 16, 2 * 4, 2 * 2]
    assert all(line["downstream"] == line["local"] for line in backward)
    assert wrong.line("dy/dx")["dy/dx"] == backward[-1]["local"] == 4
    assert len(wrong) == 4


@says("The backward lines …", "The last `downstream` …")
def test_each_downstream_is_the_next_upstream():
    lines = trace("chain_rule.py").starting("backward")
    assert [each["upstream"] for each in lines[1:]] == [
        each["downstream"] for each in lines[:-1]
    ]
    assert lines[-1]["downstream"] == 8 * 2**7
    assert [each["x"] for each in lines] == [16, 4, 2]
    assert lines[-1]["downstream"] == 1024


@says(
    "The picture shows all …",
    "Read the values from …",
    "In the backward pass, …",
    "The product, `downstream`, …",
    "Three boxes in …",
    "Arrows to the right …",
    "Below, from the right …",
    "An arrow leads from …",
    "Three squares as boxes: …",
)
def test_the_figure():
    [plot] = drawn("figure.py")[0].axes
    at = {each.get_position(): each.get_text() for each in plot.texts}
    backward = trace("chain_rule.py").starting("backward")
    across = {"x": 0, "x₁": 1, "x₀": 2, "y": 3}
    symbols = {text: place for place, text in at.items() if text in across}
    assert [round(place[0] + 0.5) for place in symbols.values()] == [0, 1, 2, 3]
    boxes = [each.get_x() + 0.3 for each in plot.patches]
    assert boxes == [0, 1, 2] and len(boxes) == 3
    for n, line in zip(boxes[::-1], backward):
        column = [at[n, height] for height in (-0.65, -1.05, -1.5)]
        assert [float(each) for each in column] == [
            line[role] for role in ("upstream", "local", "downstream")
        ]
        assert line["upstream"] * line["local"] == line["downstream"]
        left = [next_["upstream"] for next_ in backward if next_["x"] ** 2 == line["x"]]
        assert left in ([line["downstream"]], []) and (left or n == 0)
    assert backward[-1]["x"] == 2
    forward = [float(at[n - 0.5, 0.25]) for n in range(4)]
    assert forward == [2, 4, 16, 256]
    recorded = dict(
        each.split("\n", 1) for each in source("figure.live").split("=== ")[1:]
    )
    for forgets, found in (False, 8 * 2**7), (True, 2 * 2):
        at = recorded[f"x = 2.0; forget_upstream = {forgets}"]
        assert at.startswith(f"dy/dx = {found}.0\n")
        assert found == (4 if forgets else 1024)


@tf.custom_gradient
def one(x):
    x = tf.identity(x)
    return x * x, lambda upstream: 2.0 * x


@says("A test of …")
@over(mode=EVERYWHERE, x=[-1.5, 0.0, 2.0])
def test_one_step_sees_nothing(mode, x):
    assert same(mode.gradient(one, x), EAGER.gradient(lambda x: x * x, x))
    if mode is EAGER:
        seen = []
        noted = tf.custom_gradient(lambda x: (x * x, lambda u: seen.append(u) or u))
        assert mode.gradient(noted, x) == 1 and same(seen, [1.0])
        within = mode.gradient(lambda x: 3.0 * one(x), x)
        assert (within == 3.0 * 2.0 * x) == (x == 0)


@says(
    "In a `tf.function`, …",
    "By default, a …",
    was=(
        "'once for each shape and dtype': a loop and map_fn call it more than once",
        "without 'by default': an input_signature with None takes every length",
    ),
)
@over(first=FLOATS, second=FLOATS)
def test_python_runs_while_tracing(first, second):
    ran = []

    @tf.function
    def graph(x):
        ran.append(x)
        return x

    seen = set()
    for shape in ([], [2], [], [2, 2]):
        for dtype in (first, second, first):
            before = len(ran)
            graph(tf.ones(shape, dtype))
            new = (tuple(shape), dtype) not in seen
            assert len(ran) == before + new
            seen.add((tuple(shape), dtype))
    ran.clear()
    any_length = tf.function(ran.append, input_signature=[tf.TensorSpec([None])])
    any_length(tf.ones([2]))
    any_length(tf.ones([3]))
    assert len(ran) == 1


@says(
    "The f-strings print …",
    "`tf.print` is part …",
    "Deliberately wrong: f-strings …",
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
    "The whole rule …",
    "The chain rule multiplies …",
    "TensorFlow differentiates in …",
    "Reverse mode multiplies …",
    "The last square, …",
    "The backward pass then …",
    "The step from …",
    "For example, the …",
    "In a chain …",
    "For the last …",
    "We number the …",
    "All three steps …",
    "$x_0 = 16$: …",
    "The local derivative is …",
    "$x_1 = 4$: …",
    "$x = 2$: …",
    "The chain rule, …",
    "Three squares in …",
    "Together these lines …",
    "Each call of …",
)
def test_upstream_is_the_product_of_the_factors_before():
    forward, backward = (
        trace("chain_rule.py").starting(word) for word in ("forward", "backward")
    )
    assert [line["y"] for line in forward] == [line["x"] ** 2 for line in forward]
    assert [line["x"] for line in backward] == [line["x"] for line in forward][::-1]
    for line in forward:  # one call of grad for each call of square
        assert len([each for each in backward if each["x"] == line["x"]]) == 1
    product = 1
    for line in backward:
        assert line["upstream"] == product and line["local"] == 2 * line["x"]
        assert line["downstream"] == line["upstream"] * line["local"]
        product *= line["local"]
    to_the_input = backward[1]["local"] * backward[2]["local"]
    assert backward[0]["upstream"] == 1 != to_the_input and product == 1024
    assert backward[0]["x"] == forward[-1]["x"]  # the step that computes the output


@says(
    "The upstream gradient has …",
    "This site writes …",
)
@over(
    mode=MODES,
    loss={n: LOSSES[n] for n in ("dense", "zeros", "sparse")},
)
def test_shapes_of_upstream_and_downstream(mode, loss):
    shapes, three = [], [(2,), (2, 3), (2, 0)]

    @tf.custom_gradient
    def total(x):  # so that the shapes of input and output differ
        def grad(upstream):
            shapes.append(upstream.shape)
            return tf.broadcast_to(tf.convert_to_tensor(upstream)[:, None], x.shape)

        return tf.reduce_sum(x, 1), grad

    xs = [tf.ones((*shape[:1], 4, *shape[1:])) for shape in three]
    found = mode.gradients(lambda *xs: tf.add_n([loss(total(x)) for x in xs]), *xs)
    assert [each.shape for each in found] == [x.shape for x in xs]
    assert {tuple(each) for each in shapes} == {*three}


@says("To write a custom …")
def test_value_and_gradient_function():
    assert square(tf.constant(3.0)) == 9
    alone = tf.custom_gradient(lambda x: x * x)
    assert raised(alone, tf.constant(3.0)) is not None
    assert "def grad" in (text := source("chain_rule.py"))
    assert "@tf.custom_gradient" in text and "return y, grad" in text


@says(
    "`grad` receives the …",
    "`grad` returns the …",
    "For a square, …",
    r"The factor $\local{2 x}$ is …",
    "The program below …",
)
@over(mode=MODES, x=numbers(0.01, 1e9), c=numbers(-1e9, -0.01))
def test_what_grad_returns_for_a_square(mode, x, c):
    found = mode.gradient(lambda x: c * square(x), x)
    assert same(found, np.float32(c) * np.float32(2.0) * np.float32(x), 1e-6)
    names = [f"{name} = " for name in ("local", "downstream")]
    assert all(name in source("chain_rule.py") for name in names)
    assert "def grad(upstream)" in source("chain_rule.py")


@says("The program gives …")
def test_three_squares():
    squared = source("chain_rule.py").split("y = ")[-1].split("\n")[0]
    assert squared.count("square(") == 3
    assert "downstream = upstream * local" in source("chain_rule.py")


@says("In eager mode, …")
@over(persistent=[False, True])
def test_when_grad_is_called(persistent):
    called = []

    @tf.custom_gradient
    def noted(x):
        return x * x, lambda upstream: called.append(upstream) or upstream * 2.0 * x

    x = tf.constant(3.0)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = noted(x)
        assert not called
    assert not called and tape.gradient(y, x) == 6 and len(called) == 1


@says("You also need …")
@over(watched=[True, False])
def test_a_tape_records_what_it_watches(watched):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        if watched:
            tape.watch(x)
        y = x * x
    assert (tape.gradient(y, x) is not None) == watched


@says("The differential of …", "In the two printed …")
@over(mode=MODES, x=numbers(-9, 9), c=numbers(-9, 9))
def test_the_sine(mode, x, c):
    sine = tf.custom_gradient(lambda x: (tf.sin(x), lambda u: u * tf.cos(x)))
    found = mode.gradient(lambda x: c * sine(x), x)
    assert np.isclose(found, c * np.cos(x), 1e-4, 1e-5)
    first, second = trace("solution.py")[:2]
    assert second["upstream"] == first["downstream"] == first["local"]


@says(
    "In the last …",
    "The three calls …",
    "Predict: four squares.",
    "`square` is applied …",
)
def test_four_squares():
    seen = []

    @tf.custom_gradient
    def noted(x):
        def grad(upstream):
            seen.append((float(x), float(2.0 * x), float(upstream)))
            return upstream * 2.0 * x

        return x * x, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = noted(noted(noted(noted(x))))
    assert tape.gradient(y, x) == 16 * 2**15 and len(seen) == 4
    inputs, local, upstreams = zip(*seen)
    assert inputs == (256, 16, 4, 2) and local[:3] == (512, 32, 8)
    assert upstreams[-1] == 131072 == 512 * 32 * 8 and len(local[:3]) == 3


@says("The first `upstream` …", "The local derivatives …", "The loss is …")
def test_a_factor_in_the_loss():
    seen = []

    @tf.custom_gradient
    def noted(x):
        return x * x, lambda u: seen.append((float(u), float(2 * x))) or u * 2.0 * x

    found = EAGER.gradient(lambda x: 5.0 * noted(noted(x)), 3.0)
    assert found == 540 == 5 * 18 * 6 and seen[0][0] == 5
    assert [local for _, local in seen] == [18, 6]


@says(
    "The next program …",
    "`autodiff` is the …",
    "`differences` is the …",
    "The three columns …",
)
def test_the_check_has_two_others():
    lines = trace("check.py")
    assert len(lines) == 4 and "tf.float64" in source("check.py")
    [plain] = re.findall(r"def plain\(x\):\n    return (.*)", source("check.py"))
    assert plain.count("x") == 8
    for line in lines:
        assert (
            line["custom"] == line["autodiff"]
            and abs(line["custom"] - line["differences"]) < 1e-6
        )
        assert line["custom"] == 8 * line["x"] ** 7
        assert len([line["custom"], line["autodiff"], line["differences"]]) == 3


@says("The sine is …", "Its gradient function …")
def test_the_solution():
    first = trace("solution.py")[0]
    assert first.text.startswith("sine") and (first["upstream"], first["x"]) == (1, 4)


@says("Suppose that the …", "Then `square` raises …")
@over(mode=[INSIDE, AROUND, XLA, SYMBOLIC])
def test_a_branch_within_a_branch(mode):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda u: u * 2.0 * x

    @tf.custom_gradient
    def copied(x):
        x = tf.identity(x)
        return x * x, lambda u: u * 2.0 * x

    def nested(f):
        inner = lambda x: tf.cond(x > 1.0, lambda: f(x), lambda: x)  # noqa: E731
        return lambda x: tf.cond(x > 0.0, lambda: inner(x), lambda: x)

    assert raised(mode.gradient, nested(square), 2.0) is not None
    assert same(mode.gradient(nested(copied), 2.0), 4.0)


@says("Forgetting `upstream` usually …")
@over(mode=[EAGER, INSIDE, AROUND])
def test_forgetting_raises_once(mode):
    """Why 'usually': around a graph, a local derivative of the forward pass raises."""

    @tf.custom_gradient
    def square(x):
        local = 2.0 * x
        return x * x, lambda upstream: local

    assert (raised(mode.gradient, square, 2.0) is not None) == (mode is AROUND)


definition(
    "From here on, …",
    "$L$ is the …",
    "A bar marks …",
    "It tells you …",
    "For scalars, the …",
    r"The upstream gradient $\upstream{\bar y}$ …",
    "The factor in …",
    "Here a scalar …",
)
STEPS = [
    ("State the function", "State the map"),
    "Write the differential",
    ("Take the inner product", "Pair it with"),
    "Read off",
]
LESSONS = [
    path
    for path in sorted(Path(__file__).parents[3].glob("docs/lessons/*.md"))
    if path.stem != "index"
]


@says(
    "Every lesson derives …",
    was="'on every page': some pages of the guide derive no rule",
)
@over(path=LESSONS)
def test_the_four_steps(path):
    steps = re.findall(
        r"^(\d)\. +\*\*([A-Z].*?)[.:]?\*\*", path.read_text(), re.MULTILINE
    )
    assert [number for number, _ in steps][:4] == ["1", "2", "3", "4"]
    for (_, words), begins in zip(steps, STEPS):
        assert words.startswith(begins)


advice(
    "Use *Change the picture* …",
    "Write the differentials of …",
    "Don't check a …",
    "Test a gradient …",
    "You need the …",
    "Derive the gradient …",
    "Then apply this …",
    "From the second …",
    "Compare what the …",
    "Look at `downstream` …",
    "Make two quick …",
)
pointer(
    "After this lesson …",
    "The custom gradient …",
    "Solution: two gradient …",
    "*Change the inputs*, above …",
    "If you point …",
    "To see what …",
)
