"""What the page on checking a rule says in words."""

import contextlib
import inspect
import io
import re
import tempfile
import tomllib
from pathlib import Path

import hypothesis
import hypothesis.extra.numpy
import pytest

import truth
from truth.statements import tries
from truth.statements.tries import *

WRAPS = {"eager": lambda f: f, "tf.function": tf.function}
HELPER = program("checking.py").check_rule
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
    "A right rule …",
    "The rule is …",
    "A step of …",
    "In float32 the …",
    "Wrong on purpose: a right …",
)
def test_float32():
    lines = trace("wrong/float32.py")
    assert [each.text for each in lines[::3]] == [
        "float32 step 1e-06",
        "float32 step 0.01",
        "float64 step 1e-06",
    ]
    assert all(each.numbers[0] == 5.07 == round(3 * 1.3**2, 4) for each in lines[1::3])
    assert [each.numbers[0] for each in lines[2::3]] == [4.7684, 5.0701, 5.07]


@says(
    "And a wrong …",
    "Eight of them, …",
    "Wrong on purpose: eight …",
    "It compares numbers …",
    "`raises` is an …",
    "Wrong rules.",
)
def test_eight_wrong_rules():
    lines = trace("wrong/who_catches.py")[1:-1]
    rows = {each.text[:18].strip(): each.text[18:].split() for each in lines}
    at_one, at_three, random = zip(*rows.values())
    assert len(rows) == 8 and list(rows) == list(WHO.FAULTS)
    assert at_one.count("passes") == 6 and at_three.count("passes") == 4
    assert set(random) == {"caught", "raises"}
    assert rows["one axis more"][1] == rows["NumPy in the rule"][1] == "passes"
    numpy = WHO.cube(WHO.FAULTS["NumPy in the rule"])
    assert EAGER.gradient(numpy, 1.0) == 3
    assert "AttributeError" in message(INSIDE.gradient, numpy, 1.0)


@says(
    "Compare the rule …",
    "A rule claims …",
    "The map is …",
    "The four steps …",
    "What the rule …",
    "Any upstream will …",
    "Beside it stands …",
    "The quotient on …",
    "It is off …",
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
    "Compare the rule …",
    "Two numbers are …",
    "Two forward passes …",
    "One direction checks a …",
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


FUNCTIONS = {"cube": lambda x: x * x * x, "sin": np.sin, "exp": np.exp, "log": np.log}
SLOPES = {
    "cube": lambda x: 3 * x * x,
    "sin": np.cos,
    "exp": np.exp,
    "log": lambda x: 1 / x,
}


@says(
    "Take central differences …",
    "Where inputs, values …",
    "With the seven …",
    "Too large a …",
    "It is the …",
    "The quotient has …",
    "One comes from …",
    "Each value is …",
    "And if it …",
    was="'ten digits of the slope are right': of log at 0.001 one digit is",
)
@over(name=list(FUNCTIONS), x=st.floats(0.7, 1.4), cases=40)
def test_how_large_a_step(name, x):
    function, slope = FUNCTIONS[name], SLOPES[name](x)
    for dtype, h, within in ((np.float64, 1e-5, 3e-10), (np.float32, 1e-2, 3e-4)):
        x = float(dtype(x))
        slope = float(SLOPES[name](x))

        def error(h, dtype=dtype, x=x, slope=slope):
            near = h * np.geomspace(0.8, 1.2, 5)
            return np.mean(
                [abs(central(function, x, each, dtype) - slope) for each in near]
            )

        assert error(h) / slope < within
        assert error(h) < error(h * 30) and error(h) < error(h / 300)
        assert 0.1 < h / np.cbrt(np.finfo(dtype).eps) < 10
    assert abs(central(np.log, 1e-3, 1e-5) * 1e-3 - 1) > 1e-5


@says(
    "Error of the …",
    "Each central difference …",
    "The one-sided difference …",
    "The complex step falls …",
    "A tenth of …",
    "In float32 nothing …",
    "Errors of four …",
    "what is below …",
    was="'smaller steps make it worse': from 1e-9 to 1e-10 the central error falls from 4e-07 to 2e-08",
)
def test_the_curve():
    [axes] = drawn("curve.py")[0].axes
    assert axes.get_xscale() == axes.get_yscale() == "log"
    errors = {each.get_label(): each.get_ydata() for each in axes.get_lines()}
    steps = axes.get_lines()[0].get_xdata()
    one_sided, double, single, imaginary = errors.values()
    lowest = [steps[np.argmin(each)] for each in (one_sided, double, single)]
    assert lowest == [1e-8, 1e-5, 1e-2] and min(single) > 1e4 * min(double)
    assert [*errors][1:3] == ["central, float64", "central, float32"]
    falls, rises = np.diff(one_sided[:8]), np.diff(one_sided[7:])
    assert (falls < 0).all() and (rises > 0).all() and (np.diff(double[:5]) < 0).all()
    assert (np.diff(imaginary[:7]) < 0).all() and {*imaginary[7:]} == {1e-14}
    assert same(double[:4] / double[1:5], [100] * 4, 0.3)
    assert same(one_sided[:6] / one_sided[1:7], [10] * 6, 0.1)
    late = np.diff(double[5:])
    assert (late > 0).any() and (late < 0).any() and double[-1] > 1e6 * min(double)
    assert same(single[7:], [5.07] * 6, 1e-3)
    assert np.float32(1.3) + np.float32(1e-8) == np.float32(1.3)


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
    "Copy the helper: …",
    "It draws upstream …",
    "The helper to copy.",
    "check_rule, a helper …",
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
    "`pairing` is the …",
    "As its gradient …",
    "`slope` is the …",
    "`check_rule` divides the …",
    "what surrounds the …",
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


@says("`scale` has the …")
def test_a_pairing_near_0():
    x, upstream = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    downstream = 3 * x * x * upstream
    v = np.array([downstream[1], -downstream[0]]) * (1 + 1e-9)
    change = upstream * ((x + 1e-5 * v) ** 3 - (x - 1e-5 * v) ** 3)
    slope, found = np.sum(change) / 2e-5, np.sum(downstream * v)
    assert abs(found - slope) > 1e-6 * abs(slope)
    assert abs(found - slope) < 1e-6 * (abs(slope) + np.linalg.norm(downstream))


@says("An input that …")
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
    "At 0.001 most …",
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
    assert truth.check_rule(log, tf.constant([0.001])).unsettled == 0
    assert raised(truth.check_rule, lambda x: 1e10 * tiny(x), tf.constant([1.0]))


@says(
    "The functions whose …",
    "Any runner that …",
    "Where pytest makes …",
    "Save it as …",
)
def test_in_a_suite():
    with (
        tempfile.TemporaryDirectory() as place,
        contextlib.redirect_stdout(io.StringIO()) as said,
    ):
        rules = Path(place, "test_rules.py")
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
    assert said.getvalue().count("_ test_seed[2] _") == 2


# The checker of this site.


@says("It needs NumPy …")
def test_what_it_needs():
    project = tomllib.loads(
        (Path(truth.__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    )
    assert [
        re.match(r"\w+", each)[0] for each in project["project"]["dependencies"]
    ] == ["numpy", "tensorflow"]


@says("The engine hides …")
def test_the_fence():
    tests = Path(truth.__file__).parents[2] / "tests/test_check_rule.py"
    assert "docs/guide/checking.md" in tests.read_text("utf-8")
    page = Path(truth.__file__).parents[2] / "docs/guide/checking.md"
    [fence] = re.findall(
        r"```\{\.python notest\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL
    )
    names: dict = {}
    exec(fence, names)
    for name in ("test_cube", "test_cube_without_upstream"):
        names[name]()


@says(
    "Its steps scale …",
    "So a logarithm …",
)
@over(x=[1e-30, 1e-6, 1e-3, 1.0, 1e6, 1e20], factor=[1.0, 1.00001])
def test_steps_that_scale(x, factor):
    points = []

    @tf.custom_gradient
    def log(x):
        if tf.executing_eagerly():
            points.append(x.numpy()[0])
        return tf.math.log(x), lambda up: factor * up / x

    refused = raised(truth.check_rule, log, tf.constant([x], tf.float64))
    assert isinstance(refused, AssertionError) == (factor != 1)
    steps = np.abs(np.array(points) / x - 1)
    steps = steps[(steps > 0) & (steps < 0.3)]
    assert min(steps) > 1e-7 and max(steps) > 10 * min(steps)


@says(
    "So a logarithm …",
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
    said = message(truth.check_rule, comb, tf.constant(np.linspace(1, 2, 12)))
    counted = re.search(r"differences do not tell (\d+) of (\d+) slopes", said)
    assert bool(counted) == (rough == 12)
    assert not counted or int(counted[1]) > int(counted[2]) / 10


@says(
    "Two calls are …",
    "A rule that pops …",
)
@over(last=[-1, 0], shared=[True, False])
def test_the_order_of_calls(last, shared):
    kept = []

    @tf.custom_gradient
    def square(x):
        kept.append(x)
        return x * x, lambda up: 2 * up * (kept.pop(last) if shared else x)

    error = raised(truth.check_rule, square, tf.constant([1.3, -0.7]))
    assert isinstance(error, AssertionError) == shared, error


@says(
    "Four points near …",
    "At the inputs …",
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
    report = truth.check_rule(function, inputs)
    wide = {tf.float32} if reads else {tf.float32, tf.float64}
    assert {x.dtype for x, _ in received} == wide and report.points == 1 + 4
    assert all(np.max(abs(x.numpy() - [1.3, -0.7])) < 1 for x, _ in received)
    ups = [up for x, up in received if same(x, inputs)]
    dense = [each for each in ups if not isinstance(each, tf.IndexedSlices)]
    sizes = [float(tf.norm(each)) for each in dense]
    assert len(dense) < len(ups) and 0.0 in sizes
    assert {-1, 0, 1, 3} <= {round(np.log10(each)) for each in sizes if each}


@says("At a kink, anything …")
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
    wrong = raised(truth.check_rule, relu, tf.constant([0.0, 1.0, -1.0]))
    assert (wrong is None) == (0 <= slope <= 1)


@says("Variables that the …")
@over(factor=[1.0, 1.01])
def test_variables(factor):
    w = tf.Variable(2.0)
    product = tf.custom_gradient(
        lambda x: (
            w * x,
            lambda up, variables: (up * w, [factor * tf.reduce_sum(up * x)]),
        )
    )
    wrong = raised(truth.check_rule, product, tf.constant([1.0, 3.0]))
    assert (wrong is None) == (factor == 1)


@says(
    "Its options say …",
    "`help(check_rule)` describes them all.",
    "`shapes` asks for …",
)
def test_the_options():
    options = [*inspect.signature(truth.check_rule).parameters][2:]
    said = "gradient_of", "upstream_becomes", "downstream_becomes", "where"
    assert {*said, "no_gradient", "shapes"} <= {*options}
    described = truth.check_rule.__doc__
    assert all(f"\n        {name}: " in described for name in options)
    seen = []
    watched = cube(lambda up, x: (seen.append(x), up * 3 * x * x)[1])
    x = tf.constant([1.3, -0.7])
    truth.check_rule(watched, x)
    assert {tuple(each.shape) for each in seen} == {(2,)}
    near = max(np.max(abs(each)) for each in seen if hasattr(each, "numpy"))
    seen.clear()
    assert truth.check_rule(watched, x, shapes=True).shapes > 0
    assert len({tuple(each.shape) for each in seen}) > 1
    sizes = [np.max(abs(e), initial=0) for e in seen if hasattr(e, "numpy")]
    assert max(sizes) > 2 * near


# Who checks the check.


@says(
    "Under an upstream …",
    "A single number …",
    "A rule that forgets …",
    "At three numbers …",
    "That finds who …",
    "A rule must …",
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
    "Under an upstream …",
    "The last line …",
    "An upstream of …",
    "One seed is …",
    "`test_cube` takes ten.",
    "the seed — …",
)
def test_luck():
    upstream = np.random.default_rng(0).standard_normal([40_000, 3])
    assert same(np.mean((upstream > 0).all(1)), 1 / 8, 0.03)
    faulty = WHO.cube(WHO.FAULTS["abs of upstream"])
    x, draw = tf.constant([1.3, -0.7, 1.0], tf.float64), np.random.default_rng
    lucky = [s for s in range(40) if min(draw(s).standard_normal([2, 3])[0]) > 0]
    assert trace("wrong/who_catches.py")[-1].numbers == [len(lucky), 40] == [5, 40]
    assert all(WHO.random_upstream(faulty, x, seed) for seed in lucky)
    assert "def test_cube():\n    for seed in range(10):" in source("checking.py")


@says(
    "shapes: `[]`, size …",
    "sizes that differ …",
    "signs, and 0 …",
    "vary — because …",
    "What a suite …",
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
    "`tf.test.compute_gradient` returns two …",
    "It has no …",
    "Its step is …",
    "The price is …",
    "That makes $24 + 8 + 1 = 33$.",
    "tf.test.compute_gradient: two Jacobians …",
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
    steps = [np.max(abs(each - A)) for each in points if not same(each, A)]
    assert np.allclose(steps, 1 / 1024, 1e-9)
    points.clear()
    tf.test.compute_gradient(wrong, [A, B], 0.5)
    assert same(np.max(abs(points - A)), 0.5, 1e-9)
    assert trace("compute_gradient.py")[0].numbers == [24 + 8 + 1]
    x = np.linspace(0.7, 1.4, 50, dtype=np.float32)
    h = 0.5 ** np.arange(2, 20, dtype=np.float32)[:, None]
    errors = np.mean(abs(((x + h) ** 3 - (x - h) ** 3) / (2 * h) - 3 * x * x), 1)
    assert h[8] == 1 / 1024 and errors[8] < 3 * min(errors)


@says("It tells which …")
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


COMPLEX = {
    "products": lambda x: x * x * x,
    "quotient": lambda x: 1 / (2 + x * x),
    "exp": tf.exp,
    "sin": tf.sin,
    "cosh": tf.cosh,
    "tanh": tf.tanh,
    "log": lambda x: tf.math.log(4 + x),
    "sqrt": lambda x: tf.sqrt(4 + x),
}


def complex_step(function, x, h=1e-20, v=1.0):
    z = tf.complex(tf.constant(x, tf.float64), tf.constant(h * v, tf.float64))
    return tf.math.imag(function(z)) / h


@says(
    "A function that …",
    "Step into the …",
    "Nothing is subtracted …",
    "For the cube …",
    "It can be …",
    was="'no error but the rounding of the result': x**2 at -0.4 gives -3918.87",
)
@over(name=list(COMPLEX), x=st.floats(-3, 3), cases=60)
def test_the_complex_step(name, x):
    function = COMPLEX[name]
    slope = EAGER.gradient(function, tf.constant(x, tf.float64))
    assert np.allclose(complex_step(function, x), slope, 1e-13, 1e-13)
    best = min(
        abs(central(lambda x: function(tf.constant(x)).numpy(), x, h) - slope)
        for h in (1e-4, 1e-5, 1e-6)
    )
    assert abs(complex_step(function, x) - slope) <= best + 1e-15


@says(
    "The step goes …",
    "The complex step: …",
)
@over(x=arrays(4, numbers(-9, 9)))
def test_swish(x):
    swish = program("complex.py")
    by_rule, by_step, _ = trace("complex.py")
    assert by_rule.numbers == by_step.numbers
    x = tf.constant(x, tf.float64)
    slope = EAGER.gradient(swish.swish, x)
    assert np.allclose(complex_step(swish.value, x), slope, 1e-12, 1e-14)
    z = tf.complex(x, 1e-20 * tf.ones_like(x))
    assert same(tf.math.imag(swish.swish(z)), tf.math.imag(swish.value(z)))


@says(
    "The complex step is silent.",
    "`tf.abs` of a …",
    "The result is …",
    "A norm does …",
    "Write such a …",
    "Wrong on purpose: complex …",
)
@over(
    wrap=WRAPS,
    function={
        "abs": (lambda x: tf.cast(tf.reduce_sum(tf.abs(x) ** 2), x.dtype), 0),
        "norm": (lambda x: tf.cast(tf.norm(x) ** 2, x.dtype), 0),
        "adjoint": (lambda x: tf.matmul([x], [x], adjoint_b=True)[0, 0], 0),
        "transpose": (lambda x: tf.matmul([x], [x], transpose_b=True)[0, 0], 1),
        "products": (lambda x: tf.reduce_sum(x * x), 1),
    },
    v=st.tuples(st.floats(1, 9), st.floats(1, 9)),
)
def test_the_complex_step_is_silent(wrap, function, v):
    function, share = function
    x, v = np.array([3.0, -4.0]), np.array(v)
    found = wrap(lambda: complex_step(function, x, v=v))()
    assert abs(found - share * 2 * np.sum(x * v)) < 1e-13
    assert same(EAGER.gradient(function, tf.constant(x)), 2 * x, 1e-12)


@says("The last four …")
@over(
    wrap={**WRAPS, "XLA": lambda f: tf.function(f, jit_compile=True)},
    function=[tf.nn.relu, tf.nn.softplus, tf.nn.softmax, lambda z: tf.maximum(z, z)],
    dtype=[tf.complex64, tf.complex128],
)
def test_refused(wrap, function, dtype):
    assert raised(wrap(function), tf.ones([1, 2], dtype)) is not None
    names = [each.text.split()[0] for each in trace("wrong/complex.py")[4:]]
    assert names == ["relu", "softplus", "softmax", "maximum"]


@says(
    "The complex function …",
    "A complex power …",
    "For a large …",
)
def test_inexact_complex_functions():
    assert same(complex_step(lambda x: x**2, -0.4), -3919, 1e-3)
    assert same(complex_step(lambda x: x * x, -0.4), -0.8, 1e-14)
    through = complex_step(lambda z: tf.exp(2 * tf.math.log(z)), -0.4)
    assert same(through, -3919, 1e-3)
    for function, x in ((tf.math.expm1, -30.0), (tf.sigmoid, 30.0)):
        error = abs(complex_step(function, x) / np.exp(-30) - 1)
        assert 1e-5 < error < 2e-3


@says(
    "A vector of …",
    "Multiplied by $10^{-5}$ …",
    "The length of …",
    "Two things change …",
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
    "One percent in …",
    "What is seen.",
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
    assert float(of_all) == 5.1e-3 and float(of_one) == 2.8e-5 > 1e-6
    large = program("large.py")
    v = rng.standard_normal(large.W.shape)
    inputs = large.x, large.W, large.upstream, v
    x, W, upstream, v = (tf.cast(each, tf.float32) for each in inputs)
    downstream = EAGER.gradient(lambda W: large.layer(x, W), W, lambda y: upstream * y)
    step = 1e-2 / tf.norm(v)
    change = upstream * (large.layer(x, W + step * v) - large.layer(x, W - step * v))
    error = abs(tf.reduce_sum(change) / (2 * step) - tf.reduce_sum(downstream * v))
    assert error / tf.norm(downstream) > 2.8e-5


@says("Several seeds help …")
def test_several_seeds():
    flat = cube(lambda up, x: up * 2 * x * x)
    refused = lambda x, s: raised(lambda: HELPER(flat, [x], seed=s))  # noqa: E731
    assert not any(refused(1e-6, seed) for seed in range(6))
    assert all(refused(1.0, seed) for seed in range(6))


# Properties.


@says(
    "Some things hold …",
    "downstream has the …",
    "it is linear …",
    "rows of a …",
    "a change of …",
    "The first property …",
)
@over(
    function=[tf.nn.softmax, tf.nn.log_softmax, tf.sin, tf.cumsum, tf.exp],
    shape=st.tuples(st.integers(0, 3), st.integers(1, 4)),
    dtype=[tf.float32, tf.float64],
    seed=st.integers(0, 99),
    cases=40,
)
def test_properties(function, shape, dtype, seed):
    z, u, w = (
        tf.cast(each, dtype)
        for each in np.random.default_rng(seed).standard_normal([3, *shape])
    )
    back = lambda z, u: EAGER.gradient(function, z, lambda p: u * p)  # noqa: E731
    found = back(z, u)
    assert found.shape == shape and found.dtype == dtype
    within = {"rtol": 1e-3, "atol": 1e-4}
    assert np.allclose(back(z, 2 * u - 3 * w), 2 * found - 3 * back(z, w), **within)
    if function is tf.nn.softmax:
        assert np.allclose(function(z + 5), function(z), **within)
        assert np.allclose(tf.reduce_sum(found, -1), 0, **within)
    if function is not tf.cumsum and shape[0]:
        assert np.allclose(found[0], back(z[:1], u[:1])[0], **within)


@says(
    "Try them at …",
    "A rule that adds …",
    "Two rows of …",
    "Wrong on purpose: a softmax …",
    "Properties of a …",
)
@over(cases=6, length=st.integers(0, 9), seed=st.integers(0, 99))
def test_the_batch(length, seed):
    wrong = program("wrong/properties.py")
    rng = np.random.default_rng(seed)
    assert wrong.violated((length,), rng) is None
    assert wrong.violated((2, 1), rng) == "sums to 0 in each row"
    assert wrong.violated((1, 1), rng) is None
    assert trace("wrong/properties.py")[0].text.startswith("shape [2, 1]")
    tried = sorted(wrong.shapes, key=lambda s: (len(s), np.prod(s), s))
    fails = [shape for shape in tried if wrong.violated(shape, rng)]
    assert fails[0] == (2, 1) == min(fails, key=np.prod)


@says(
    "The library Hypothesis …",
    "It draws shapes …",
    "Draw float64 arrays …",
    "No program of …",
    was="'this paragraph has no run': it has this one",
)
def test_hypothesis():
    draw = hypothesis.extra.numpy
    shapes = draw.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=3)
    values = draw.arrays(np.float64, shapes, elements=st.floats(0.5, 2))
    wrong, tried = program("wrong/properties.py").softmax, []
    kept = hypothesis.database.InMemoryExampleDatabase()

    @hypothesis.settings(deadline=None, database=kept, max_examples=40)
    @hypothesis.seed(0)
    @hypothesis.given(values)
    def search(x):
        tried.append(x)
        HELPER(wrong, x)

    for _ in range(2):
        tried.clear()
        assert raised(search) is not None
        assert tried[-1].shape == (2, 1)
    assert tried[0].shape == (2, 1)
    programs = tries.folder.parents[1].rglob("*.py")
    assert not any("hypothesis" in each.read_text("utf-8") for each in programs)


# Where it breaks.


@says("Do not widen …")
def test_a_wide_tolerance():
    within = abs(4.7684 / 5.07 - 1)
    wrong = cube(lambda up, x: up * (3 - 0.15) * x * x)
    assert same(EAGER.gradient(wrong, 1.3), 5.07, within)


@says(
    "There is no derivative.",
    "At a kink, differences …",
    "Keep test points …",
)
@over(left=st.integers(-9, 9), right=st.integers(-9, 9), steps=st.floats(0, 3))
def test_differences_at_a_kink(left, right, steps):
    bend = lambda x: np.where(x > 0, right * x, left * x)  # noqa: E731
    assert same(central(bend, 0.0, 1e-3), (left + right) / 2, 1e-9)
    found = central(bend, steps * 1e-3, 1e-3)
    assert abs(found - right) < 1e-9 or (steps < 1 and left != right)


@says("For a rule …")
def test_a_stand_in():
    sign = tf.custom_gradient(
        lambda x: (tf.sign(x), lambda up: up * (1 - tf.tanh(x) ** 2))
    )
    x = tf.constant([0.5, -1.3])
    assert raised(truth.check_rule, sign, x) is not None
    truth.check_rule(sign, x, gradient_of=tf.tanh)


@says(
    "The function draws …",
    "Then `plus` and …",
    "Draw them outside, …",
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
    "Check it as …",
    "The same with …",
    "Second derivatives go …",
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


@says("Check in float64, …")
@over(mode=MODES, dtype=st.sampled_from([tf.float32, tf.float64]))
def test_a_rule_for_both_dtypes(mode, dtype):
    rule = cube(lambda up, x: up * tf.cast(3, x.dtype) * x * x * tf.ones_like(x))
    assert mode.gradient(rule, tf.cast([1.5], dtype)).dtype == dtype


definition(
    "With them a …",
    "In types, with …",
    "It is what …",
    "Read off the check.",
    "The rule itself is",
    "and none of …",
    "Now downstream is …",
)
advice(
    "You need the …",
    "So compare it …",
    "Read a column …",
    "Three habits follow.",
    "Take both sides, …",
    "Put the helper …",
    "Find with a …",
    "Check a small …",
    "Change the dtype …",
    "Compare with values.",
)
pointer(
    "Of this kind, …",
    "This page says …",
    "The program that …",
    "Every rule that …",
    "In a clone …",
    "Then let a …",
    "What it does …",
    "In matrices a …",
)
