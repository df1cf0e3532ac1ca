"""What the page on step sizes says in words."""

import hypothesis
import hypothesis.extra.numpy

from truth.statements import tries
from truth.statements.tries import *

WRAPS = {"eager": lambda f: f, "tf.function": tf.function}
HELPER = program("../checking/checking.py").check_gradient


def cube(rule=lambda up, x: up * 3 * x * x):
    @tf.custom_gradient
    def function(x):
        return x * x * x, lambda upstream: rule(upstream, x)

    return function


def central(function, x, h, dtype=np.float64):
    x, h = dtype(x), dtype(h)
    return float((function(x + h) - function(x - h)) / (h + h))


@says(
    "A step that …",
    "In float32 with …",
    "A step of …",
    "The gradient function of this …",
    "Compare the first …",
    "The finite difference is 4.7684 …",
    "Deliberately wrong: a …",
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


FUNCTIONS = {"cube": lambda x: x * x * x, "sin": np.sin, "exp": np.exp, "log": np.log}


SLOPES = {
    "cube": lambda x: 3 * x * x,
    "sin": np.cos,
    "exp": np.exp,
    "log": lambda x: 1 / x,
}


@says(
    "The best step of the …",
    "central difference, float64 …",
    "central difference, float32 …",
    "The table is …",
    "For larger or …",
    "A central difference …",
    "The first error …",
    "The second error …",
    "Together the two …",
    "So a step …",
    "The best step is …",
    "Up to a factor, the best step is the cube …",
    "With the sixteen …",
    "Suppose inputs, values …",
    "With the seven …",
    "Use central differences, …",
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
    kinds = np.float64, np.float32
    assert [round(-np.log10(np.finfo(each).eps)) for each in kinds] == [16, 7]
    correct = [
        int(-np.log10(abs(central(FUNCTIONS["cube"], 1.3, h, each) / 5.07 - 1)))
        for h, each in zip((1e-5, 1e-2), kinds)
    ]
    assert correct == [10, 4] and int(-np.log10(3e-4)) == 3  # at worst three
    shares = [
        (central(lambda x: x**power, x, 0.1) - power * x ** (power - 1)) / 0.1**2
        for power in (1, 2, 3)
    ]  # no error without a third derivative, whatever the curvature
    assert np.allclose(shares, [0, 0, 1], atol=1e-9) and len(shares) == 3


@says(
    "The figure shows …",
    "It also shows …",
    "Error of the …",
    "Each central difference …",
    "The one-sided difference …",
    "The complex step falls …",
    "In each row, …",
    "At first, each …",
    "As soon as …",
    "In float32 at …",
    "So the finite …",
    "Errors of three …",
    "smaller errors are …",
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
    assert same(single[7:], [5.07] * 6, 1e-3) and round(float(single[7])) == 5
    assert np.allclose(10 * steps[1:], steps[:-1])
    ratios = double[0] / double[1], one_sided[2] / one_sided[3]
    assert [round(float(each)) for each in ratios] == [100, 10]
    assert np.float32(1.3) + np.float32(1e-8) == np.float32(1.3)
    assert central(FUNCTIONS["cube"], 1.3, 1e-8, np.float32) == 0


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
    "After this page …",
    "You can also …",
    "complex step — …",
    "If a function …",
    "The quotient is …",
    "For the cube …",
    "The complex step doesn't …",
    "Then only the …",
    "The complex step can …",
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
    "Compare the two rows …",
    "The two rows …",
    "For the complex step, …",
    "The complex step: …",
)
@over(x=arrays(4, numbers(-9, 9)))
def test_swish(x):
    swish = program("complex.py")
    *rows, _ = trace("complex.py")
    by_rule, by_step = rows
    assert len(rows) == 2 and by_rule.numbers == by_step.numbers
    x = tf.constant(x, tf.float64)
    slope = EAGER.gradient(swish.swish, x)
    assert np.allclose(complex_step(swish.value, x), slope, 1e-12, 1e-14)
    z = tf.complex(x, 1e-20 * tf.ones_like(x))
    assert same(tf.math.imag(swish.swish(z)), tf.math.imag(swish.value(z)))


@says(
    "If the function contains …",
    "`tf.abs` of a …",
    "So the result has …",
    "Compare the column …",
    "The second, third …",
    "The result for …",
    "In the row …",
    "Write such a …",
    "Deliberately wrong: complex …",
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


@says(
    "Some functions raise …",
    "The last four …",
)
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
    "TensorFlow computes a …",
    "At $x = -0.4$, …",
    "Two more functions …",
    "`tf.math.expm1` for a …",
    "`tf.sigmoid` for a …",
    "At −30, the …",
    "At 30, the …",
    was="'for a large negative x only three digits': three at -30, none at -40",
)
def test_inexact_complex_functions():
    assert same(complex_step(lambda x: x**2, -0.4), -3919, 1e-3)
    assert same(complex_step(lambda x: x * x, -0.4), -0.8, 1e-14)
    through = complex_step(lambda z: tf.exp(2 * tf.math.log(z)), -0.4)
    assert same(through, -3919, 1e-3)
    for function, x in ((tf.math.expm1, -30.0), (tf.sigmoid, 30.0)):
        error = abs(complex_step(function, x) / np.exp(-30) - 1)
        assert int(-np.log10(error)) == 3
    for function, x in ((tf.math.expm1, -40.0), (tf.sigmoid, 40.0)):
        assert abs(complex_step(function, x) / np.exp(-40) - 1) > 0.9
    for function, x in ((tf.math.expm1, -10.0), (tf.sigmoid, 10.0)):
        slope = EAGER.gradient(function, tf.constant(x, tf.float64))
        assert same(complex_step(function, x), slope, 1e-11)


@says(
    "Property tests need …",
    "Some facts hold …",
    "The downstream gradient has …",
    "The downstream gradient is …",
    "Suppose that the …",
    "Then the inner …",
    "For example, softmax …",
    "If each row …",
    "Row $i$ of the gradient …",
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
    "Try the smallest …",
    "Test these properties …",
    "The first shape …",
    "The program tests …",
    "The second gradient …",
    "But it is …",
    "Look at the first …",
    "The right gradient …",
    "For the wrong …",
    "Deliberately wrong: one …",
)
@over(cases=6, length=st.integers(0, 9), seed=st.integers(0, 99))
def test_the_batch(length, seed):
    wrong = program("wrong/properties.py")
    rng = np.random.default_rng(seed)
    violated = lambda shape: wrong.violated(wrong.whole_batch, shape, rng)  # noqa: E731
    assert violated((length,)) is None
    assert violated((2, 1)) == "sums to 0 in each row"
    assert violated((1, 1)) is None
    right, first = trace("wrong/properties.py")
    assert first.text.startswith("whole_batch: [2, 1]") and len((right, first)) == 2
    assert right.text == "softmax: 36 shapes pass" and len(wrong.shapes) == 36
    assert len([shape for shape in wrong.shapes if 0 in shape]) == 2
    tried = sorted(wrong.shapes, key=lambda s: (len(s), np.prod(s), s))
    assert not any(wrong.violated(wrong.softmax, shape, rng) for shape in tried)
    fails = [shape for shape in tried if violated(shape)]
    assert fails[0] == (2, 1) == min(fails, key=np.prod)


@says(
    "The Python library Hypothesis searches …",
    "The Python library Hypothesis tests …",
    "It draws shapes …",
    "Draw float64 arrays …",
    "Draw the elements …",
    "Let the test …",
    "Turn the deadline …",
    "The programs of …",
    "For an example, see …",
    was="'this paragraph has no run': it has this one",
)
def test_hypothesis():
    draw = hypothesis.extra.numpy
    shapes = draw.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=3)
    values = draw.arrays(np.float64, shapes, elements=st.floats(0.5, 2))
    wrong, tried, sides = program("wrong/properties.py").whole_batch, [], set()
    kept = hypothesis.database.InMemoryExampleDatabase()

    @hypothesis.settings(deadline=None, database=kept, max_examples=40)
    @hypothesis.seed(0)
    @hypothesis.given(values)
    def search(x):
        tried.append(x)
        sides.update(x.shape)
        HELPER(wrong, x)

    for _ in range(2):
        tried.clear()
        assert raised(search) is not None
        assert tried[-1].shape == (2, 1)
    assert tried[0].shape == (2, 1) and min(sides) == 0
    programs = tries.folder.parents[1].rglob("*.py")
    assert not any("hypothesis" in each.read_text("utf-8") for each in programs)


@says(
    "Don't widen the …",
    "Change the dtype …",
)
def test_a_wide_tolerance():
    within = abs(4.7684 / 5.07 - 1)
    wrong = cube(lambda up, x: up * (3 - 0.15) * x * x)
    assert same(EAGER.gradient(wrong, 1.3), 5.07, within)


@says(
    "Check in float64, …",
    "If you write …",
)
@over(mode=MODES, dtype=st.sampled_from([tf.float32, tf.float64]))
def test_a_rule_for_both_dtypes(mode, dtype):
    rule = cube(lambda up, x: up * tf.cast(3, x.dtype) * x * x * tf.ones_like(x))
    assert mode.gradient(rule, tf.cast([1.5], dtype)).dtype == dtype


@says(
    "The central difference …",
    "Rounding doesn't matter yet.",
    "It is 1e-08.",
    "The error grows …",
)
def test_a_smaller_step():
    errors = {
        float(each.text.split()[0]): float(each.text.split()[2])
        for each in trace("curve.py")[1:]
    }
    assert errors[1e-3] == 1e-6 and errors[1e-4] == 1e-8
    assert round(errors[1e-3] / errors[1e-4]) == 100
    for h in (1e-3, 1e-4):
        error = abs(central(lambda x: x * x * x, 1.3, h) - 3 * 1.3**2)
        assert same(error, h * h, 1e-2)


@says(
    "A gradient function …",
    "The elements sum …",
    "Softmax doesn't change …",
)
@over(seed=st.integers(0, 99))
def test_sum_of_a_row(seed):
    row = [0.2, -0.1, 0.3]
    assert round(sum(row), 9) == 0.4 and len(row) == 3
    z, u = np.random.default_rng(seed).standard_normal([2, 3])
    found = EAGER.gradient(tf.nn.softmax, z, lambda p: tf.reduce_sum(u * p))
    assert round(float(np.sum(found)), 9) == 0
    assert np.allclose(tf.nn.softmax(z + 5), tf.nn.softmax(z))


@says(
    "The error of …",
    "Set the derivative …",
    "Up to a factor, the best step is the square …",
    "The one-sided curve …",
    "The program finds …",
    "The best step of one-sided …",
)
@over(x=st.floats(0.7, 1.4), cases=40)
def test_one_sided(x):
    def error(h):
        near = h * np.geomspace(0.8, 1.2, 5)
        found = [((x + each) ** 3 - x**3) / ((x + each) - x) for each in near]
        return np.mean(np.abs(np.subtract(found, 3 * x * x)))

    assert same(error(1e-3) / error(1e-4), 10, 0.05)
    assert error(1e-8) < min(error(1e-6), error(1e-11))
    assert 0.1 < 1e-8 / np.sqrt(np.finfo(np.float64).eps) < 10
    [axes] = drawn("curve.py")[0].axes
    [one_sided] = [each for each in axes.get_lines() if "one" in each.get_label()]
    assert one_sided.get_xdata()[np.argmin(one_sided.get_ydata())] == 1e-8
    lines = trace("solution.py")
    others = [each for each in lines if not each.text.startswith("cube")]
    assert len(lines) == 3 and len(others) == 2
    assert all("best step 1e-8" in each.text for each in lines)
    assert all(each.text.endswith("True") for each in lines)


definition(
    "Method — Step …",
)


advice(
    "You need the …",
    "Open the box, …",
    "Take a step …",
    "To use Hypothesis …",
    "Make two quick …",
    "Predict: a smaller step.",
    "What is the error …",
    "Predict: a property.",
    "Why must it …",
    "Derive: the best …",
    "What is the best …",
)


pointer(
    "The program that …",
)
