"""What the page on checking a rule says in words."""

import contextlib
import inspect
import io
import re
import tempfile
import tomllib
from pathlib import Path

import pytest

import vjpcheck
from truth.statements.tries import *

WRAPS = {"eager": lambda f: f, "tf.function": tf.function}
HELPER = program("checking.py").check_gradient
WHO = program("wrong/who_catches.py")


def cube(rule=lambda up, x: up * 3 * x * x):
    @tf.custom_gradient
    def function(x):
        return x * x * x, lambda upstream: rule(upstream, x)

    return function


def central(function, x, h, dtype=np.float64):
    x, h = dtype(x), dtype(h)
    return float((function(x + h) - function(x - h)) / (h + h))


# The derivation.


@says(
    "This program applies …",
    "The first two …",
    "The columns `1` …",
    "The last column …",
    "Look for `passes`:",
    "With one number, …",
    "The number is …",
    "With three numbers …",
    "(`raises` means that …",
    "The check with a random …",
    "`compute_gradient` flattens each …",
    "`compute_gradient` runs eagerly, …",
    "Deliberately wrong: three …",
)
def test_eight_wrong_rules():
    lines = trace("wrong/who_catches.py")[1:-1]
    rows = {each.text[:18].strip(): each.text[18:].split() for each in lines}
    at_one, at_three, random = zip(*rows.values())
    assert len(rows) == 8 and list(rows) == list(WHO.FAULTS)
    assert at_one.count("passes") == 6 and at_three.count("passes") == 4
    assert set(random) == {"caught", "raises"} and random.count("passes") == 0
    assert rows["x > 0 only"] == ["passes", "caught", "caught"] and WHO.one > 0
    assert rows["one axis more"][1] == rows["NumPy in grad"][1] == "passes"
    numpy = WHO.cube(WHO.FAULTS["NumPy in grad"])
    assert EAGER.gradient(numpy, 1.0) == 3
    more, x = WHO.cube(WHO.FAULTS["one axis more"]), tf.constant([1.3, -0.7, 1.0])
    [flat], [differences] = tf.test.compute_gradient(more, [x])
    assert EAGER.gradient(more, x).shape == [1, 3]
    assert flat.shape == differences.shape == (3, 3)
    assert "AttributeError" in message(INSIDE.gradient, numpy, 1.0)


@says(
    "The helper draws …",
    "One is the …",
    "The other is …",
    "Here, $f$ is …",
    "The gradient describes …",
    "The four steps …",
    "The function is the cube …",
    "Add a direction …",
    "The second is …",
    "You can compute …",
    "Its error is …",
    "Choose any upstream …",
    "Except for the …",
)
@over(
    function=[tf.sin, tf.exp, tf.tanh, tf.nn.softmax, lambda x: x * tf.reduce_sum(x)],
    seed=st.integers(0, 99),
    shape=[(), (3,), (2, 3)],
    cases=30,
)
def test_the_pairing(function, seed, shape):
    if function is tf.nn.softmax and shape == ():
        return
    x, v, upstream = np.random.default_rng(seed).standard_normal((3, *shape))
    downstream = EAGER.gradient(function, x, lambda y: tf.reduce_sum(upstream * y))

    def error(h):
        change = upstream * (function(x + h * v) - function(x - h * v))
        return abs(np.sum(change) / (2 * h) - np.sum(downstream * v))

    assert error(1e-5) < 1e-7
    if error(1e-2) > 1e-7:
        assert same(error(1e-2) / error(2e-2), 1 / 4, 0.05)


@says(
    "You compare two …",
    "Both computations return …",
    "The finite difference needs …",
    "The number of passes …",
    "One direction checks a …",
    "Checking one element …",
)
@over(shape=[(), (3,), (300, 300), (10**6,)])
def test_two_forward_passes(shape):
    passes = []

    def counted(x):
        passes.append(x)
        return cube()(x)

    x, v, upstream = np.random.default_rng(0).standard_normal((3, *shape))
    with tf.GradientTape() as tape:
        tape.watch(x := tf.constant(x))
        value = tf.reduce_sum(upstream * counted(x))
    found = tf.reduce_sum(tape.gradient(value, x) * v)
    assert len(passes) == 1
    h = 1e-5 / np.linalg.norm(v)
    plus, minus = (tf.reduce_sum(upstream * counted(x + s * h * v)) for s in (1, -1))
    assert same((plus - minus) / (2 * h), found, 1e-3) and len(passes) == 1 + 2
    assert 2 * 300 * 300 == 180_000 and 300 * 300 == 90_000


# The helper.


def in_graph(one, other):
    return one if tf.inside_function() else other


FAULTS = {
    "none": (lambda up, a, b: (up * b, up * a), ""),
    "shape": (
        lambda up, a, b: (up * b, (up * a)[None]),
        "input 1: (TensorShape([1, 3])",
    ),
    "dtype": (
        lambda up, a, b: (tf.cast(up * b, tf.float32), up * a),
        "input 0: (TensorShape([3]), tf.float32)",
    ),
    "None": (lambda up, a, b: (up * b, None), "input 1: no gradient"),
    "first": (lambda up, a, b: (2 * up * b, up * a), "input 0: "),
    "second": (lambda up, a, b: (up * b, up), "input 1: "),
    "eager": (lambda up, a, b: (up * b * in_graph(1, 2), up * a), "input 0: "),
    "graph": (lambda up, a, b: (up * b * in_graph(2, 1), up * a), "input 0: "),
    "upstream": (lambda up, a, b: (b, a), "input 0: "),
}


@says(
    "After this page …",
    "Copy the helper …",
    "It raises an …",
    "The helper calls the …",
    "The helper `check_gradient` draws …",
    "It computes the gradients …",
    "check_gradient, a helper …",
    "Assert that the …",
)
@over(fault=FAULTS, seed=st.integers(0, 99), cases=24)
def test_the_helper(fault, seed):
    rule, refusal = fault

    @tf.custom_gradient
    def product(a, b):
        return a * b, lambda up: rule(up, a, b)

    a, b = [1.0, 2.0, -1.5], [0.3, -2.0, 1.0]
    said = message(lambda: HELPER(product, a, b, seed=seed))
    assert said.startswith("AssertionError: " + refusal) if refusal else not said


@says(
    "`weighted_sum` adds up …",
    "The gradient of …",
    "`by_gradient` is $\\sum_i …",
    "the upstream gradient — …",
    "`check_gradient` divides the …",
)
@over(seed=st.integers(0, 99), size=st.integers(1, 40))
def test_what_the_rule_receives(seed, size):
    received, points = [], []

    @tf.custom_gradient
    def both(x):
        points.append(x)

        def grad(*upstream):
            received.append(upstream)
            return upstream[0] * 2 * x + upstream[1] * 3

        return (x * x, 3 * x), grad

    HELPER(both, np.ones(size), seed=seed)
    # The first two passes only ask for shapes and trace the graph.
    _, _, recorded, plus, minus, *_ = points
    rng = np.random.default_rng(seed)
    upstream = [rng.standard_normal(size) for _ in range(2)]
    assert same([*received[1]], upstream) and same(recorded, np.ones(size))
    v = rng.standard_normal(size)
    step = 1e-5 / max(1, np.linalg.norm(v))
    assert np.allclose(plus - minus, 2 * step * v, 1e-3, 1e-12)
    arrived = []
    EAGER.gradient(cube(lambda up, x: arrived.append(up)), np.ones(size))
    assert same(arrived, [tf.ones(size)])


@says(
    "`scale` contains the …",
    "Without this norm, …",
)
def test_a_pairing_near_0():
    x, upstream = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    downstream = 3 * x * x * upstream
    v = np.array([downstream[1], -downstream[0]]) * (1 + 1e-9)
    change = upstream * ((x + 1e-5 * v) ** 3 - (x - 1e-5 * v) ** 3)
    slope, found = np.sum(change) / 2e-5, np.sum(downstream * v)
    assert abs(found - slope) > 1e-6 * abs(slope)
    assert abs(found - slope) < 1e-6 * (abs(slope) + np.linalg.norm(downstream))


@says(
    "It needs a …",
    "If an input …",
    "Wrap the function …",
)
@over(n=st.integers(1, 5))
def test_an_input_without_a_gradient(n):
    @tf.custom_gradient
    def power(x, n):
        factor = tf.cast(n, x.dtype)
        return x**factor, lambda up: (up * factor * x ** (factor - 1), None)

    HELPER(lambda x: power(x, n), [0.5, 1.3])
    assert "input 1: no gradient" in message(HELPER, power, [0.5, 1.3], float(n))


@says(
    "`h` and the …",
    "For a logarithm …",
    "If derivatives are …",
    "Scale such a …",
    was=(
        "check_rule's ten digits were said of any function",
        "'is refused at 0.001': seed 36 passes",
    ),
)
def test_where_the_helper_errs():
    log = tf.custom_gradient(lambda x: (tf.math.log(x), lambda up: up / x))
    tiny = tf.custom_gradient(lambda x: (1e-10 * x, lambda up: up * 2.5 * 1e-10))

    def refusing(function, at):
        tried = (raised(lambda s=s: HELPER(function, [at], seed=s)) for s in range(12))
        return sum(isinstance(each, AssertionError) for each in tried)

    assert refusing(log, 0.001) > 6 and refusing(tiny, 1.0) == 0
    assert refusing(log, 1.0) == refusing(lambda x: log(0.001 * x), 1.0) == 0
    assert refusing(lambda x: 1e10 * tiny(x), 1.0) == 12
    assert vjpcheck.check_rule(log, tf.constant([0.001])).unsettled == 0
    assert raised(vjpcheck.check_rule, lambda x: 1e10 * tiny(x), tf.constant([1.0]))


@says(
    "The functions whose …",
    "All three tests pass.",
    "Save the file …",
    "If you make …",
)
def test_in_a_suite():
    with (
        tempfile.TemporaryDirectory() as place,
        contextlib.redirect_stdout(io.StringIO()) as said,
    ):
        rules = Path(place, "test_gradients.py")
        rules.write_text(source("checking.py"), "utf-8")
        seeds = Path(place, "test_seeds.py")
        seeds.write_text(
            "import pytest\n@pytest.mark.parametrize('seed', range(3))\n"
            "def test_seed(seed):\n    assert seed != 2\n",
            "utf-8",
        )
        settings = Path(place, "none.ini")
        settings.write_text("[pytest]\n", "utf-8")
        options = ["-q", "-p", "no:cacheprovider", "-c", str(settings)]
        assert pytest.main([str(rules), str(seeds), *options]) == 1
        assert pytest.main([f"{seeds}::test_seed[2]", *options]) == 1
    assert "1 failed, 5 passed" in said.getvalue()
    assert len(trace("checking.py")) == 3
    assert said.getvalue().count("_ test_seed[2] _") == 2


# The checker of this site.


@says(
    "You can use …",
)
def test_what_it_needs():
    project = tomllib.loads(
        (Path(vjpcheck.__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    )
    assert [
        re.match(r"\w+", each)[0] for each in project["project"]["dependencies"]
    ] == ["numpy", "tensorflow"]


@says(
    "Then call `check_rule` …",
    "If the gradient is wrong, …",
    "The second test …",
    "A test in …",
)
def test_the_fence():
    tests = Path(vjpcheck.__file__).parents[2] / "tests/test_check_rule.py"
    assert "docs/guide/checking.md" in tests.read_text("utf-8")
    page = Path(vjpcheck.__file__).parents[2] / "docs/guide/checking.md"
    [fence] = re.findall(
        r"```\{\.python notest\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL
    )
    names: dict = {}
    exec(fence, names)
    for name in ("test_cube", "test_cube_without_upstream"):
        names[name]()


@says(
    "It tries several …",
    "So it accepts …",
)
@over(x=[1e-30, 1e-6, 1e-3, 1.0, 1e6, 1e20], factor=[1.0, 1.00001])
def test_steps_that_scale(x, factor):
    points = []

    @tf.custom_gradient
    def log(x):
        if tf.executing_eagerly():
            points.append(x.numpy()[0])
        return tf.math.log(x), lambda up: factor * up / x

    refused = raised(vjpcheck.check_rule, log, tf.constant([x], tf.float64))
    assert isinstance(refused, AssertionError) == (factor != 1)
    steps = np.abs(np.array(points) / x - 1)
    steps = steps[(steps > 0) & (steps < 0.3)]
    assert min(steps) > 1e-7 and max(steps) > 10 * min(steps)


@says(
    "If too many …",
    "In the first test, …",
)
@over(rough=[0, 12])
def test_what_differences_do_not_tell(rough):
    jumps = np.arange(12) < rough
    comb = tf.custom_gradient(
        lambda x: (
            tf.where(jumps, tf.sign(tf.sin(1e9 * x)), x),
            lambda up: tf.where(jumps, tf.zeros_like(x), up),
        )
    )
    said = message(vjpcheck.check_rule, comb, tf.constant(np.linspace(1, 2, 12)))
    counted = re.search(r"differences don't determine (\d+) of (\d+) derivatives", said)
    assert bool(counted) == (rough == 12)
    if not rough:
        report = vjpcheck.check_rule(comb, tf.constant(np.linspace(1, 2, 12)))
        assert report.unsettled == 0
    assert not counted or int(counted[1]) > int(counted[2]) / 10


@says(
    "It calls the …",
    "So it rejects, …",
)
@over(last=[-1, 0], shared=[True, False])
def test_the_order_of_calls(last, shared):
    kept, events = [], []

    @tf.custom_gradient
    def square(x):
        kept.append(x)
        events.append(("call", call := len(events)))

        def grad(up):
            events.append(("back", call))
            return 2 * up * (kept.pop(last) if shared else x)

        return x * x, grad

    error = raised(vjpcheck.check_rule, square, tf.constant([1.3, -0.7]))
    assert isinstance(error, AssertionError) == shared, error
    if not shared:
        orders = [
            [call for _, call in events[n : n + 4]]
            for n in range(len(events))
            if [kind for kind, _ in events[n : n + 4]] == ["call"] * 2 + ["back"] * 2
        ]
        assert any([a, b] == [c, d] for a, b, c, d in orders)
        assert any([a, b] == [d, c] for a, b, c, d in orders)


@says(
    "This site's checker, …",
    "It also tries …",
    "At the inputs, …",
    was=(
        "'in float64': not where the function reads a float32 variable",
        "'with upstreams of three sizes': near the inputs there are two",
    ),
)
@over(reads=[True, False])
def test_points_and_upstreams(reads):
    received, w = [], tf.Variable(1.0)

    @tf.custom_gradient
    def function(x):
        def grad(up, variables=()):
            if tf.executing_eagerly():
                received.append((x, up))
            up = tf.convert_to_tensor(up)
            to_x = up * 2 * x * (w if reads else 1)
            return (to_x, [tf.reduce_sum(up * x * x)]) if reads else to_x

        return x * x * (w if reads else 1), grad

    inputs = tf.constant([1.3, -0.7])
    report = vjpcheck.check_rule(function, inputs)
    wide = {tf.float32} if reads else {tf.float32, tf.float64}
    assert {x.dtype for x, _ in received} == wide and report.points == 1 + 4
    assert all(np.max(abs(x.numpy() - [1.3, -0.7])) < 1 for x, _ in received)
    ups = [up for x, up in received if same(x, inputs)]
    dense = [each for each in ups if not isinstance(each, tf.IndexedSlices)]
    sizes = [float(tf.norm(each)) for each in dense]
    assert len(dense) < len(ups) and 0.0 in sizes
    assert {-1, 0, 1, 3} <= {round(np.log10(each)) for each in sizes if each}


@says(
    "At a kink, it …",
)
@over(slope=[-0.5, 0.0, 0.3, 1.0, 1.5])
def test_a_kink(slope):
    relu = tf.custom_gradient(
        lambda x: (
            tf.nn.relu(x),
            lambda up: (
                up * tf.where(x == 0, tf.cast(slope, x.dtype), tf.cast(x > 0, x.dtype))
            ),
        )
    )
    wrong = raised(vjpcheck.check_rule, relu, tf.constant([0.0, 1.0, -1.0]))
    assert (wrong is None) == (0 <= slope <= 1)


@says(
    "It also checks …",
)
@over(factor=[1.0, 1.01])
def test_variables(factor):
    w = tf.Variable(2.0)
    product = tf.custom_gradient(
        lambda x: (
            w * x,
            lambda up, variables: (up * w, [factor * tf.reduce_sum(up * x)]),
        )
    )
    wrong = raised(vjpcheck.check_rule, product, tf.constant([1.0, 3.0]))
    assert (wrong is None) == (factor == 1)


@says(
    "With `shapes=True`, it …",
    "The reference describes …",
)
def test_the_options():
    options = [*inspect.signature(vjpcheck.check_rule).parameters][2:]
    said = "gradient_of", "upstream_becomes", "downstream_becomes", "where"
    assert {*said, "no_gradient", "shapes"} <= {*options}
    described = vjpcheck.check_rule.__doc__
    assert all(f"\n        {name}: " in described for name in options)
    seen = []
    watched = cube(lambda up, x: (seen.append(x), up * 3 * x * x)[1])
    x = tf.constant([1.3, -0.7])
    vjpcheck.check_rule(watched, x)
    assert {tuple(each.shape) for each in seen} == {(2,)}
    near = max(np.max(abs(each)) for each in seen if hasattr(each, "numpy"))
    seen.clear()
    assert vjpcheck.check_rule(watched, x, shapes=True).shapes > 0
    assert len({tuple(each.shape) for each in seen}) > 1
    sizes = [np.max(abs(e), initial=0) for e in seen if hasattr(e, "numpy")]
    assert max(sizes) > 2 * near


# Who checks the check.


@says(
    "If the upstream …",
    "For a single …",
    "So the result …",
    "For three numbers, …",
    "That reveals a …",
    "It doesn't reveal …",
    "A gradient function must …",
    "Only values other …",
)
@over(size=st.integers(1, 4), other=st.floats(-9, -0.1) | st.floats(1.1, 9))
def test_what_compute_gradient_feeds(size, other):
    fed, x = [], tf.constant(np.linspace(1, 2, size))
    watching = cube(lambda up, x: (fed.append(up.numpy()), up * 3 * x * x)[1])
    tf.test.compute_gradient(watching, [x])
    assert same(sorted(map(list, fed)), np.eye(size)[::-1].tolist())
    names = "forgets upstream", "abs of upstream", "upstream squared"
    passes = [WHO.jacobian(WHO.cube(WHO.FAULTS[name]), x) for name in names]
    assert passes == [size == 1, True, True]
    absolute, squared = (WHO.FAULTS[name] for name in names[1:])
    assert same(absolute(other, x), other * 3 * x * x, 1e-9) == (other > 0)
    assert not same(squared(other, x), other * 3 * x * x, 1e-9)


@says(
    "If you write …",
    "the seed — …",
    "The last line …",
    "With probability one …",
    "Then the absolute …",
    "One seed isn't …",
    "`test_cube` uses ten seeds.",
    "One time in …",
    "Four random numbers …",
)
def test_luck():
    upstream = np.random.default_rng(0).standard_normal([40_000, 3])
    assert same(np.mean((upstream > 0).all(1)), 1 / 8, 0.03)
    upstream = np.random.default_rng(1).standard_normal([800_000, 4])
    assert same(np.mean((upstream > 0).all(1)), 1 / 16, 0.03) and 2**4 == 16
    faulty = WHO.cube(WHO.FAULTS["abs of upstream"])
    x, draw = tf.constant([1.3, -0.7, 1.0], tf.float64), np.random.default_rng
    lucky = [s for s in range(40) if min(draw(s).standard_normal([2, 3])[0]) > 0]
    assert trace("wrong/who_catches.py")[-1].numbers == [len(lucky), 40] == [5, 40]
    assert all(WHO.random_upstream(faulty, x, seed) for seed in lucky)
    assert "def test_cube():\n    for seed in range(10):" in source("checking.py")


@says(
    "Vary — Because …",
    "shapes: `[]`, size …",
    "the sizes of …",
    "signs, and 0 …",
)
def test_what_to_vary():
    def passes(rule, *inputs):
        return raised(HELPER, rule, *inputs) is None

    summed = cube(lambda up, x: tf.reduce_sum(up * 3 * x * x) * tf.ones_like(x))
    assert passes(summed, [1.0]) and not passes(summed, [1.0, 2.0])
    right, wrong = (
        tf.custom_gradient(
            lambda A, B, turn=turn: (
                A @ B,
                lambda up: (up @ turn(B), tf.transpose(A) @ up),
            )
        )
        for turn in (tf.transpose, tf.identity)
    )
    square, wide = [[1.0, 2.0], [2.0, 3.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    tall = [[1.0], [0.5], [-1.0]]
    assert passes(wrong, square, square) and not passes(wrong, wide, tall)
    assert passes(right, wide, tall)
    branch = cube(lambda up, x: up * 3 * x * abs(x))
    assert passes(branch, [1.3]) and not passes(branch, [1.3, -0.7, 0.0])


# Other ways.


@says(
    "It returns two …",
    "The first comes …",
    "The second comes …",
    "You compare them …",
    "In the program, `grad` …",
    "All derivatives with …",
    "Two derivatives with …",
    "The row of …",
    "The price of …",
    "The finite differences need …",
    "The gradient function needs …",
    "Before that, one …",
    "That makes $24 + 8 + 1 = 33$ calls.",
    "The step of …",
    "Deliberately wrong: one …",
)
@over(rows=st.integers(1, 3), inner=st.integers(1, 3), columns=st.integers(1, 3))
def test_compute_gradient(rows, inner, columns):
    points, fed = [], []

    @tf.custom_gradient
    def wrong(A, B):
        points.append(np.array(A))

        def grad(up):
            fed.append(up)
            return 7 * up @ tf.transpose(B), tf.transpose(A) @ up

        return A @ B, grad

    A, B = np.random.standard_normal([rows, inner]), np.ones([inner, columns])
    by_rule, differences = tf.test.compute_gradient(wrong, [A, B])
    outputs, inputs = rows * columns, A.size + B.size
    shapes = [(outputs, A.size), (outputs, B.size)]
    assert [each.shape for each in by_rule] == shapes
    assert [each.shape for each in differences] == shapes
    assert np.allclose(by_rule[0], 7 * differences[0])
    assert np.allclose(by_rule[1], differences[1])
    assert len(points) == 2 * inputs + 2 * outputs + 1 and len(fed) == 2 * outputs
    assert same(points[0], A)
    steps = [np.max(abs(each - A)) for each in points if not same(each, A)]
    assert np.allclose(steps, 1 / 1024, 1e-9)
    points.clear()
    tf.test.compute_gradient(wrong, [A, B], 0.5)
    assert same(np.max(abs(points - A)), 0.5, 1e-9)
    lines = trace("wrong/one_wrong.py")
    assert lines[0].numbers == [24 + 8 + 1]
    assert [each.numbers[-1] for each in lines[1:3]] == [0, 2] and len(lines) == 5
    assert all("input B[1, 1]" in each.text for each in lines[3:])
    its = program("wrong/one_wrong.py")
    assert np.allclose(its.custom[0], its.numeric[0])
    factors = np.where(np.arange(6) == 3, 1.01, 1.0)  # of the columns: [1, 1] is 3
    assert np.allclose(its.custom[1], its.numeric[1] * factors)
    assert [*map(list, np.argwhere(abs(its.custom[1] - its.numeric[1]) > 1e-6))] == [
        [1, 3],
        [3, 3],
    ]
    assert 24 == 2 * 12 == 2 * (2 * 3 + 3 * 2) and 8 == 2 * 4 == 2 * (2 * 2)
    x = np.linspace(0.7, 1.4, 50, dtype=np.float32)
    h = 0.5 ** np.arange(2, 20, dtype=np.float32)[:, None]
    errors = np.mean(abs(((x + h) ** 3 - (x - h) ** 3) / (2 * h) - 3 * x * x), 1)
    assert h[8] == 1 / 1024 and errors[8] < 3 * min(errors)


@says(
    "A random direction …",
    "`tf.test.compute_gradient` tells you …",
)
@over(row=st.integers(0, 2), column=st.integers(0, 1))
def test_which_slope(row, column):
    spoil = np.zeros([3, 2])
    spoil[row, column] = 1
    wrong = cube(lambda up, x: up * (3 * x * x + spoil))
    x = tf.constant(np.random.normal(size=(3, 2)))
    [rule], [differences] = tf.test.compute_gradient(wrong, [x])
    at = 2 * row + column
    assert np.argwhere(abs(rule - differences) > 1e-3).tolist() == [[at, at]]
    assert raised(HELPER, wrong, x) is not None


@says(
    "But a large …",
    "Divide the step …",
    "The length of …",
    "Here the length …",
    "Without the division, …",
    "One direction checks 90,000 …",
)
@over(count=[100, 10_000, 90_000, 1_000_000], seed=st.integers(0, 99))
def test_the_length(count, seed):
    v = np.random.default_rng(seed).standard_normal(count)
    assert same(np.linalg.norm(v), np.sqrt(count), 0.3 if count < 1000 else 0.03)
    lines = trace("large.py")
    assert lines[0].numbers == [90000, 301.1] and round(301.1 * 1e-5, 3) == 0.003
    rule, long, short = (each.numbers[-1] for each in lines[1:4])
    assert rule == short and 5e-6 < abs(rule - long) < 5e-5


@says(
    "An error in …",
    "Over many directions, …",
    "If all elements …",
    "If a single …",
    "In float64, 2.8e-05 …",
    "In float32 with …",
    was="'below what float32 could see': with a step of 0.1 by the length it is seen",
)
@over(share=[1.0, 0.1, 0.01])
def test_what_is_seen(share):
    rng = np.random.default_rng(0)
    spoiled = rng.random(3000) < share
    downstream = rng.standard_normal(3000)
    directions = rng.standard_normal([400, 3000])
    moved = directions @ (0.01 * downstream * spoiled) / np.linalg.norm(downstream)
    assert same(np.sqrt(np.mean(moved**2)), 0.01 * np.sqrt(share), 0.15)
    of_all, _, of_one, _ = (each.text.split()[-1] for each in trace("large.py")[5:])
    assert (
        float(of_all) == 5.1e-3
        and round(float(of_all), 3) == 5e-3
        and float(of_one) == 2.8e-5 > 1e-6
    )
    large = program("large.py")
    v = rng.standard_normal(large.W.shape)
    inputs = large.x, large.W, large.upstream, v
    x, W, upstream, v = (tf.cast(each, tf.float32) for each in inputs)
    downstream = EAGER.gradient(lambda W: large.layer(x, W), W, lambda y: upstream * y)
    step = 1e-2 / tf.norm(v)
    change = upstream * (large.layer(x, W + step * v) - large.layer(x, W - step * v))
    error = abs(tf.reduce_sum(change) / (2 * step) - tf.reduce_sum(downstream * v))
    assert error / tf.norm(downstream) > 2.8e-5


@says(
    "Several seeds make …",
    "But a wrong …",
    "So also check …",
    was="'accepts the error with every seed': an added 1 is rejected where the gradient is near 0",
)
def test_several_seeds():
    flat = cube(lambda up, x: up * 2 * x * x)
    refused = lambda f, x, s: raised(lambda: HELPER(f, [x], seed=s))  # noqa: E731
    assert not any(refused(flat, 1e-6, seed) for seed in range(6))
    assert all(refused(flat, 1.0, seed) for seed in range(6))
    moved = cube(lambda up, x: up * (3 * x * x + 1))
    assert all(refused(moved, 1e-6, seed) for seed in range(6))
    [by_rule], [differences] = tf.test.compute_gradient(flat, [tf.constant([1e-6, 1])])
    assert [*(np.abs(np.diag(by_rule - differences)) > 1e-3)] == [False, True]


# Properties.


# Where it breaks.


@says(
    "There is no derivative.",
    "At a kink, finite …",
    "If a correct gradient …",
    "Keep test points …",
    was="'a correct gradient looks wrong': the 0 of tf.abs is the mean of both sides",
)
@over(
    left=st.integers(-9, 9),
    right=st.integers(-9, 9),
    steps=st.floats(0, 3),
    examples=({"left": -1, "right": 1, "steps": 0.0},),
)
def test_differences_at_a_kink(left, right, steps):
    bend = lambda x: np.where(x > 0, right * x, left * x)  # noqa: E731
    assert same(central(bend, 0.0, 1e-3), (left + right) / 2, 1e-9)
    assert EAGER.gradient(tf.abs, 0.0) == 0 and EAGER.gradient(tf.nn.relu, 0.0) == 0
    assert central(np.abs, 0.0, 1e-3) == 0 != central(lambda x: max(x, 0), 0.0, 1e-3)
    found = central(bend, steps * 1e-3, 1e-3)
    assert abs(found - right) < 1e-9 or (steps < 1 and left != right)


@says(
    "If a gradient is deliberately …",
    "The gradient is …",
    "Compare a surrogate …",
)
def test_a_stand_in():
    sign = tf.custom_gradient(
        lambda x: (tf.sign(x), lambda up: up * (1 - tf.tanh(x) ** 2))
    )
    x = tf.constant([0.5, -1.3])
    assert raised(vjpcheck.check_rule, sign, x) is not None
    vjpcheck.check_rule(sign, x, gradient_of=tf.tanh)


@says(
    "The function draws …",
    "The two forward …",
    "Draw the numbers …",
)
@over(scale=[1e-3, 1.0])
def test_random_numbers(scale):
    inside = cube()
    noisy = lambda x: inside(x) + scale * tf.random.normal([2], dtype=x.dtype)  # noqa: E731
    said = message(HELPER, noisy, [1.3, -0.7])
    found, slope = map(
        float, re.findall(r"-?\d[\d.e+]*", said.partition("input 0: ")[2])
    )
    assert scale / 1e-5 / 100 < abs(found - slope) < 100 * scale / 1e-5
    noise = tf.random.normal([2], dtype=tf.float64)
    HELPER(lambda x: inside(x) + scale * noise, [1.3, -0.7])


@says(
    "Never test a …",
    "The test repeats …",
    "`assert gradient == 3 * x**2` …",
)
@over(factor=st.integers(2, 5))
def test_the_formula_repeated(factor):
    derived = lambda x: factor * x**2  # noqa: E731
    rule = cube(lambda up, x: up * derived(x))
    assert EAGER.gradient(rule, 2.0) == derived(2.0)
    assert (raised(HELPER, rule, [2.0]) is None) == (factor == 3)


@says(
    "For a second …",
    "So check it …",
    "Both gradients agree …",
    "With the helper …",
    "The program compares the two …",
    "The second derivative, …",
)
@over(right=[True, False], seed=st.integers(0, 99), cases=6)
def test_the_second_derivative(right, seed):
    keeps = (lambda x: x) if right else tf.stop_gradient
    rule = cube(lambda up, x: up * 3 * x * keeps(x))

    def backward(x, upstream):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = rule(x)
        return tape.gradient(y, x, output_gradients=upstream)

    x, upstream = [1.3, -0.7, 0.2], np.random.default_rng(seed).standard_normal(3)
    assert raised(HELPER, rule, x) is None
    assert (raised(HELPER, backward, x, upstream) is None) == right
    for line in trace("solution.py"):
        assert line.numbers[-2] == line.numbers[-1]


@says(
    "A function has …",
    "13 times: 10 …",
)
def test_calls_of_the_prediction():
    calls = []

    @tf.custom_gradient
    def pair(x):
        calls.append(x)
        return x[:2] * x[2:4], lambda up: tf.concat(
            [up * x[2:4], up * x[:2], tf.zeros([1], x.dtype)], 0
        )

    [rule], [differences] = tf.test.compute_gradient(pair, [tf.ones([5], tf.float64)])
    assert rule.shape == differences.shape == (2, 5) and np.allclose(rule, differences)
    moved = [each for each in calls if not same(each, tf.ones_like(each))]
    assert len(calls) == 13 and len(moved) == 10 and len(rule) == 2


definition(
    "Some names in …",
    "The first formula …",
    "Read off the check.",
    "The gradient function of …",
    "The gradient function is …",
    "The left side …",
    "The upstream gradient …",
    "In the program below, …",
    "It returns the downstream …",
    "Its two inputs …",
    "The new upstream …",
)


advice(
    "Treat the upstream …",
    "Use central differences …",
    "You need the …",
    "You also need …",
    "Look for the position …",
    "As soon as …",
    "In addition to …",
    "How good is …",
    "So use a …",
    "The program compares the inner …",
    "It then makes …",
    "Compare the gradient …",
    "Make two quick …",
    "Predict: a lucky seed.",
    "Add a fourth …",
    "How often does the …",
    "Predict: the calls …",
    "How often does `tf.test.compute_gradient` …",
    "Derive: second derivatives.",
    "For the cube, …",
)


pointer(
    "The page on step sizes derives …",
    "The helper has …",
    "Each build of …",
    "You can use …",
    "Install it from …",
    "The checker does …",
    "To search your …",
    "The page on step sizes covers …",
    "The lesson on …",
)
