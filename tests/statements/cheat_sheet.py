"""What the cheat sheet says, tried."""

import re
from pathlib import Path

from truth.statements.tries import *

PAGE = Path(__file__).parents[2] / "docs/cheat_sheet.md"
IN_ORDER = {
    "eager": EAGER,
    "inside": INSIDE,
    "outside": AROUND,
    "inside, with XLA": XLA,
}


BRANCHES = [mode for mode in BLOCKS if mode.name.startswith("branch, ")]


def cells(begins):
    """The cells of the row of the page that begins with these words."""
    [row] = [
        line
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith(f"| {begins}")
    ]
    return [each.strip() for each in row.strip("| ").split(" | ")]


def column(mode):
    return 1 + [*IN_ORDER.values()].index(mode)


@says(
    "The template gives …",
    "Template: two inputs, …",
    "Copy the program.",
    "Replace the computation …",
    "inputs: tensors, …",
    "settings are arguments …",
)
@over(mode=[*IN_ORDER.values(), *BRANCHES])
def test_the_template(mode, power=3):
    x, y = np.float32([0.5, 1.0]), np.float32([2.0, 3.0])
    f = program("template.py").weighted(power)
    right = [np.cos(x) * y**power, np.sin(x) * power * y ** (power - 1)]
    assert same(mode.gradients(f, x, y), right, 1e-5)
    assert same(
        mode.derivative(lambda x: f(x, tf.constant(y)), x, order=2),
        -np.sin(x) * y**power,
        1e-5,
    )
    assert len(right) == 2


@says(
    "How many gradients? …",
    "In which order? …",
    "one upstream gradient …",
    "one for each …",
)
@over(mode=[*IN_ORDER.values()])
def test_how_many(mode):
    @tf.custom_gradient
    def f(x, pair):
        def grad(upstream):
            return upstream * 1.0, upstream * 2.0, upstream * 3.0

        return x + pair["a"] + pair["b"], grad

    def of_three(x, b, a):
        return f(x, {"b": b, "a": a})

    assert same(mode.gradients(of_three, 1.0, 1.0, 1.0), [1.0, 3.0, 2.0])
    one = tf.custom_gradient(lambda x, y: (x + y, lambda upstream: upstream))
    assert message(mode.gradients, one, 1.0, 1.0)


@says("Which shape and …")
@over(mode=[*IN_ORDER.values()], dtype=[tf.float32, tf.float64])
def test_which_shape(mode, dtype):
    @tf.custom_gradient
    def shifted(x, b):
        def grad(upstream):
            upstream = tf.convert_to_tensor(upstream)
            return upstream, tf.reduce_sum(upstream, axis=0)

        return x + b, grad

    x, b = tf.ones((4, 3), dtype), tf.ones(3, dtype)
    for got, given in zip(mode.gradients(shifted, x, b), (x, b)):
        assert got.shape == given.shape and got.dtype == given.dtype
    assert same(mode.gradients(shifted, x, b)[1], [4.0, 4.0, 4.0])


@says("When may it …")
@over(mode=[*IN_ORDER.values()])
def test_when_none(mode):
    f = tf.custom_gradient(
        lambda x, n: (x * tf.cast(n, x.dtype), lambda u: (u * 3.0, None))
    )
    assert same(mode.gradient(lambda x: f(x, tf.constant(3)), 2.0), 3.0)
    lost = tf.custom_gradient(lambda x: (x * 3.0, lambda upstream: None))
    assert same(mode.gradient(lambda x: lost(x) + 5.0 * x, 2.0), 5.0)


@says(
    "What does `grad` …",
    "What about several …",
    was="'it is tf.IndexedSlices': a gather outside the graph of the call sends a tensor",
)
@over(mode=[EAGER, PERSISTENT])
def test_what_arrives(mode):
    seen = []

    @tf.custom_gradient
    def two(x):
        def grad(*upstreams):
            seen.append(upstreams)
            return 2.0 * tf.convert_to_tensor(upstreams[0])

        return (2.0 * x, 3.0 * x), grad

    assert same(mode.gradient(lambda x: 5.0 * two(x)[0], [1.0, 2.0]), [10.0, 10.0])
    assert same(seen, [([5.0, 5.0], [0.0, 0.0])])
    seen.clear()
    found = mode.gradient(lambda x: tf.gather(two(x)[0], [1]), [1.0, 2.0])
    assert isinstance(seen[0][0], tf.IndexedSlices) and same(found, [0.0, 2.0])
    seen.clear()  # with the gather outside the graph that calls it, it is dense
    found = mode.gradient(lambda x: tf.gather(tf.function(two)(x)[0], [1]), [1.0, 2.0])
    assert isinstance(seen[0][0], tf.Tensor) and same(found, [0.0, 2.0])
    three = tf.custom_gradient(lambda x: (x, x, lambda *upstreams: x))
    assert "too many values to unpack" in message(three, tf.constant(1.0))


@says("What about a captured …", "the gradient of …")
@over(mode=[*IN_ORDER.values()])
def test_a_captured_tensor(mode):
    def captured(x, k):
        of_x = tf.custom_gradient(lambda x: (k * x, lambda upstream: upstream * k))
        return of_x(x)

    passed = tf.custom_gradient(lambda x, k: (k * x, lambda u: (u * k, u * x)))
    found = mode.gradients(captured, 2.0, 3.0)
    assert same(found[0], 3.0)
    assert found[1] is None
    assert cells("the gradient of a tensor")[column(mode)] == "`None`"
    assert same(mode.gradients(passed, 2.0, 3.0), [3.0, 2.0])


@says("What about a trainable …")
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_a_variable(mode):
    weight = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        def grad(upstream, variables=None):
            return upstream * weight, [upstream * x for _ in variables]

        return weight * x, grad

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = (tf.function(f) if mode is AROUND else f)(x)
        return tape.gradient(y, [x, weight])

    options = {"jit_compile": True} if mode is XLA else {}
    run = both if mode in (EAGER, AROUND) else tf.function(both, **options)
    assert same(run(tf.constant(2.0)), [3.0, 2.0])
    refused = tf.custom_gradient(lambda x: (weight * x, lambda upstream: upstream))
    assert "variables" in message(refused, tf.constant(2.0))


@says("What about keyword …")
@over(mode=[EAGER, INSIDE])
def test_keywords(mode):
    f = tf.custom_gradient(lambda x: (x * x, lambda upstream: upstream * 100.0))
    assert same(mode.gradient(f, 3.0), 100.0)
    said = message(mode.gradient, lambda x: f(x=x), 3.0)
    if mode is EAGER:
        assert not said and same(mode.gradient(lambda x: f(x=x), 3.0), 6.0)
    else:
        assert "keyword" in said


@says("What about second …")
@over(mode=[*IN_ORDER.values(), NESTED])
def test_second_order(mode):
    @tf.custom_gradient
    def exp(x):
        x = tf.identity(x)
        return tf.exp(x), lambda upstream: upstream * exp(x)

    assert same(mode.derivative(exp, 0.5, order=2), np.exp(np.float32(0.5)), 1e-5)
    wrong = tf.custom_gradient(
        lambda x: (x**3, lambda u: 3.0 * u * tf.stop_gradient(x**2))
    )
    assert not same(mode.derivative(wrong, 2.0, order=2), 12.0)


@says(
    "elementwise, …",
    "sum, …",
    "broadcast, …",
    "product, …",
    "matrix product, …",
    "linear system, …",
    r"$y = \log \det A$ — …",
    "norm, …",
    "softmax $y$ …",
    "solver that …",
    "Each row has …",
    "In the last …",
    "For the norm …",
)
def test_ten_formulas():
    rng = np.random.default_rng(0)

    def drawn(*shape):
        return tf.constant(rng.standard_normal(shape))

    square, other = drawn(3, 3) + 3.0 * tf.eye(3, dtype=tf.float64), drawn(3, 3)
    rows = {
        "elementwise": (tf.sin, {"x": drawn(4)}),
        "sum": (tf.reduce_sum, {"x": drawn(4)}),
        "broadcast": (tf.add, {"x": drawn(2, 3), "b": drawn(3)}),
        "product": (tf.multiply, {"x": drawn(4), "y": drawn(4)}),
        "matrix product": (tf.matmul, {"A": drawn(2, 3), "B": drawn(3, 4)}),
        "linear system": (tf.linalg.solve, {"A": square, "B": drawn(3, 2)}),
        "$y = \\log \\det A$": (
            lambda A: tf.math.log(abs(tf.linalg.det(A))),
            {"A": square},
        ),
        "norm": (tf.norm, {"x": drawn(4)}),
        "softmax": (tf.nn.softmax, {"x": drawn(4)}),
        "solver": (
            lambda x: -tf.linalg.solve(square, other @ x),  # A y + B x = 0
            {"x": drawn(3, 1)},
        ),
    }
    assert len(rows) == 10
    for name, (function, inputs) in rows.items():
        with tf.GradientTape() as tape:
            tape.watch([*inputs.values()])
            y = function(*inputs.values())
        upstream = drawn(*y.shape)
        right = tape.gradient(y, [*inputs.values()], output_gradients=upstream)
        names = {"tf": tf, "upstream": upstream, **inputs, "X": y}
        if name != "product":
            names["y"] = y
        if name == "solver":
            names |= {"A": square, "B": other}
        codes = re.findall("`(.*?)`", cells(name)[-1])
        found = [eval(code, names) for code in codes]
        assert len(codes) == len(inputs) and same(found, right, 1e-9), name
    solver, its = rows["solver"]
    assert np.allclose(square @ solver(its["x"]) + other @ its["x"], 0.0)
    zero = tf.zeros(2)
    assert np.isnan((zero / tf.norm(zero)).numpy()).all()


@says(
    "1 — the …",
    "2 — the gradient agrees …",
    "3 — the gradient is …",
    "4 — the second …",
    "5 — the gradient is …",
    "In the program below, …",
    "The first four …",
    "The fifth uses …",
    "The custom gradient …",
    "Five assertions for …",
    was="'the inputs are random float64 numbers': not those of the fifth",
)
def test_each_assertion_finds_its_mistake():
    text = source("assertions.py")
    numbered = re.findall(r"# (\d)$", text, re.MULTILINE)
    assert numbered == ["1", "2", "3", "4", "5"] and len(numbered) == 5
    run, fifth = program("assertions.py"), text.partition("# 4")[2]
    assert "float64" not in text and run.x.dtype == tf.float64
    assert "edges = 1.0, tf.constant([-1e3, -1e-30, 0.0, 1e3])" in fifth
    assert tf.constant([-1e3]).dtype == tf.float32 and "rng" not in fifth
    assert trace("assertions.py")[0].text == "All five pass."
    right = "return upstream * s * (1.0 + x * (1.0 - s))"
    assert right in text
    local = "s * (1.0 + x * (1.0 - s))"
    for finds, grad in {
        "shape": f"return upstream[:1] * ({local})[:1]",
        "product(found": f"return {local}",
        "formula": "return upstream * s",
        "tf.function": f"return upstream * np.array({local})",
        "slope": f"return upstream * tf.stop_gradient({local})",
        "edges": f"return upstream * {local} * x / x",
    }.items():
        spoilt = text.replace(right, grad)
        assert raised(exec, compile(spoilt, "assertions.py", "exec"), {}) is not None, (
            finds
        )


@says("the Python code …", "`upstream.numpy()` — works …")
@over(mode=[*IN_ORDER.values()])
def test_when_grad_runs(mode):
    kinds = []

    @tf.custom_gradient
    def f(x):
        return x * x, lambda u: kinds.append(hasattr(u, "numpy")) or u * 2.0 * x

    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = called(x)
        return tape.gradient(y, x)

    called = tf.function(f) if mode is AROUND else f
    options = {"jit_compile": True} if mode is XLA else {}
    traced = run if mode in (EAGER, AROUND) else tf.function(run, **options)
    for value in (1.0, 2.0):
        assert traced(tf.constant(value)) == 2 * value
    eagerly = mode is EAGER
    assert kinds == ([True, True] if eagerly else [False])
    said = (
        cells("the Python code")[column(mode)],
        cells("`upstream.numpy()`")[column(mode)],
    )
    assert said == (
        ("in each backward pass", "works")
        if eagerly
        else ("once, during tracing", "raises")
    )


@says(
    "a wrong number …",
    "a gradient of the wrong static …",
    "a gradient of the wrong dtype, …",
)
@over(mode=[*IN_ORDER.values()])
def test_what_is_compared(mode):
    x = tf.ones((2, 3))
    count = tf.custom_gradient(lambda x: (x, lambda upstream: (upstream, upstream)))
    assert message(mode.gradient, count, x)
    at_the_call = bool(message(mode.value, count, x))
    assert cells("a wrong number")[column(mode)] == (
        "in the forward call" if at_the_call else "in the backward pass"
    )
    shape = tf.custom_gradient(lambda x: (1.0 * x, lambda upstream: upstream[:, :1]))
    dtype = tf.custom_gradient(lambda x: (1.0 * x, lambda u: tf.cast(u, tf.float64)))
    for words, wrong in (
        ("a gradient of the wrong static shape", shape),
        ("a gradient of the wrong dtype", dtype),
    ):
        told = "raises" if message(mode.gradient, wrong, x) else "silent"
        assert cells(words)[column(mode)] == told, words


@says(
    "a custom gradient in …",
    "The copies of …",
    "Raises means that …",
    "*Silent* means that …",
    "`tf.numpy_function` in the …",
)
@over(mode=[*IN_ORDER.values()])
def test_branches_and_numpy(mode):
    square = tf.custom_gradient(lambda x: (x * x, lambda upstream: upstream * 2.0 * x))

    def branch(x):
        return tf.cond(x > 0.0, lambda: square(x), lambda: x)

    @tf.custom_gradient
    def by_numpy(x):
        y = tf.numpy_function(np.square, [x], tf.float32)
        return tf.ensure_shape(y, x.shape), lambda upstream: upstream * 2.0 * x

    for words, f in (
        ("a custom gradient in", branch),
        ("`tf.numpy_function`", by_numpy),
    ):
        if message(mode.gradient, f, 3.0):
            told = "raises"
        else:
            assert same(mode.gradient(f, 3.0), 6.0)
            told = "right"
        assert cells(words)[column(mode)] == told, words


definition(
    "The columns “inside” and …",
    "Question — Answer",
    "Function — Gradient …",
    "Case — …",
    "No. — Assert …",
)
pointer(
    "This page has …",
    "You can print …",
    "Derivations are in …",
    "The page on …",
    "The composition matrix …",
)
