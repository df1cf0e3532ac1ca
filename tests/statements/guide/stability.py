"""What the page on numerical stability says in words."""

import contextlib
import io

import mpmath

from truth.statements.tries import *

IN_XLA = [XLA, AROUND_XLA]
FOUR = [EAGER, INSIDE, AROUND, XLA]
THREE = [EAGER, AROUND, XLA]
VALUES = {
    "eager": lambda f: f,
    "tf.function": tf.function,
    "XLA": lambda f: tf.function(f, jit_compile=True),
}
TINY = float(np.finfo(np.float32).tiny)
KEPT = numbers(-87.0, 88.0)  # where the sigmoid is no subnormal number


def drawn(name):
    """The numbers that a program draws: all that it computes before it does."""
    path = trace.__globals__["folder"] / name
    before, _ = path.read_text("utf-8").split("\n\ndef draw")
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(before, path, "exec"), names)
    return names


def rounded(function, *numbers):
    return float(np.float32(float(function(*map(mpmath.mpf, numbers)))))


def sigma(x):
    return 1 / (1 + mpmath.exp(-x))


def close(found, exact, within=1e-6):
    """Relatively; and what is subnormal may have become 0."""
    exact = float(exact)
    return abs(float(found) - exact) <= max(within * abs(exact), TINY)


stable = program("check.py").softplus
as_written = program("wrong/nan.py").log1pexp
official = program("wrong/official.py").log1pexp
norm = program("norm.py").norm
logsumexp = program("logsumexp.py").logsumexp
naive_logsumexp = program("logsumexp.py").naive
with_eps = program("wrong/norm.py").with_eps
masked = program("wrong/masked.py")
sigmoid = program("sigmoid.py").sigmoid
slope_of_sigmoid = derivative(sigmoid)
log1mexp, naive = program("solution.py").log1mexp, program("solution.py").naive
forms = program("forms.py").forms


@says(
    "The function has …",
    r"$\log(1 + e^x)$ is …",
    "It is close …",
)
@over(x=numbers(-700, 700))
def test_the_function(x):
    with mpmath.workdps(700):
        value, slope = mpmath.log1p(mpmath.exp(x)), sigma(mpmath.mpf(x))
        h = mpmath.mpf(10) ** -330
        above, below = (mpmath.log1p(mpmath.exp(x + s * h)) for s in (1, -1))
        assert 0 < slope < 1 and abs((above - below) / (2 * h) / slope - 1) < 1e-6
        assert x < 20 or value - x < 1e-8


@says(
    "Deliberately wrong: log(1 …",
    "The tape multiplies …",
    "But the backward …",
    "For example, the …",
    "The right gradient …",
    "`tf.math.log(1.0 + tf.exp(x))` — …",
    "So the tape …",
    "The first wrong …",
    "Canceling them is …",
    "Deliberately wrong: log(1 …",
)
@over(mode=MODES)
def test_the_symptom(mode):
    assert same(mode.gradient(as_written, 88.0), 0.0)
    assert same(mode.gradient(as_written, 100.0), np.nan)
    for x in (88.0, 100.0):
        assert rounded(sigma, x) == 1 == mode.gradient(stable, x)
    shown = [line.numbers for line in trace("wrong/nan.py")[1:]]
    assert [same(slope, 1.0 if x else 0.5) for x, _, slope in shown] == [1, 1, 0, 0, 0]
    assert shown[2] == [88, 88, 0]


@says(
    "The documentation of …",
    "Its gradient at …",
)
@over(mode=MODES)
def test_the_official_rule(mode):
    assert mode.gradient(official, 100.0) == 1
    for value in VALUES.values():
        assert value(official)(tf.constant(100.0)) == np.inf
    documented = " ".join(tf.custom_gradient.__doc__.split())
    assert "return upstream * (1 - 1 / (1 + e))" in documented
    assert "at `x = 100` will be correctly evaluated as 1.0" in documented


@says(
    "At 100 the …",
    "At −20 the …",
    "The example in …",
    "In eager mode the …",
    was="'at −20 value and gradient are zero': a tf.function's value is 2.06e-09",
)
@over(mode=FOUR)
def test_the_official_rule_at_both_ends(mode):
    assert same(mode.gradient(derivative(official), 100.0), np.nan)
    assert mode.gradient(official, -20.0) == official(tf.constant(-20.0)) == 0
    assert tf.function(official)(tf.constant(-20.0)) > 2e-9
    shown = trace("wrong/official.py").starting("official")
    assert same(shown[-1].numbers, [100, np.inf, 1, np.nan])
    assert shown[0].numbers[:3] == [-20, 0, 0]


@says(
    "The infinity does …",
    "For example, if …",
)
@over(mode=FOUR)
def test_the_infinity_goes_on(mode):
    assert mode.gradient(official, 100.0, loss=lambda y: y * y) == np.inf
    assert mode.gradient(stable, 100.0, loss=lambda y: y * y) == 200


@says(
    "The same text …",
    "According to this …",
    "It must be …",
    "The last line …",
)
@over(x=numbers(-20, 2))
def test_the_slip(x):
    written = "dx_i/dx_i-1 = (exp(x_i) / (1 + exp(x_i))) = (1 - 1 / (1 + exp(x_i)))"
    assert written in " ".join(tf.custom_gradient.__doc__.split()).replace("\\", "")
    slope = EAGER.gradient(stable, x)
    assert close(slope, sigma(mpmath.mpf(x)))
    assert not close(slope, sigma(mpmath.log1p(mpmath.exp(x))), 1e-2)
    at = trace("wrong/official.py")[-1]
    assert at.text.startswith("at 0") and at.numbers == [0, 0.5, 0.667]


@says(
    "float32 has about …",
    "Its largest number …",
    "Numbers between 0 …",
    "They have fewer …",
    was="'TensorFlow's arithmetic takes such numbers for 0': the log of a scalar 1e-40 is -103.97",
)
@over(value=VALUES, shape=[(), (17,)], x=[1e-44, 1e-40, 1.1e-38])
def test_float32(value, shape, x):
    assert 6 <= np.finfo(np.float32).precision <= 7
    assert np.float32(x) > 0 and 1.1e-38 < TINY < 1.2e-38 < 3.4e38 < tf.float32.max
    assert not np.any(value(lambda x: x * 1.5)(tf.fill(shape, np.float32(x))))
    assert tf.math.log(tf.constant(np.float32(1e-40))) > -104


@says(
    "Deliberately wrong: print …",
    "To see where …",
    "At $x = 100$ …",
    "At $x = 88$ …",
    "In the backward …",
    "The last `Mul` …",
    "It multiplies this …",
    "But the reciprocal …",
    "Deliberately wrong: print …",
)
def test_where_it_is_born():
    lines = [line.text.split() for line in trace("wrong/born.py")]
    at = lines.index(["x", "=", "88.0"])
    infinite, finite = lines[2:at], lines[at + 1 :]
    for part in (infinite, finite):
        assert [each[1] for each in part] == [
            "Exp",
            "AddV2",
            "Log",
            "Reciprocal",
            "Mul",
            "Mul",
        ]
        assert [each[0] for each in part] == ["forward"] * 3 + ["backward"] * 3
    assert infinite[0][2:] == ["100", "->", "inf"]
    assert infinite[3][2:] == ["inf", "->", "0"]
    assert infinite[5][2:] == ["0,", "inf", "->", "nan"]
    assert not any("inf" in word for each in finite for word in each)
    assert finite[3][2:] == ["1.65e+38", "->", "0"] and 0 < 1 / 1.65e38 < TINY
    assert finite[5][2:] == ["0,", "1.65e+38", "->", "0"]


@says(
    "Each operation has …",
)
@over(mode=THREE, x=numbers(-20, 20))
def test_each_rule_is_right(mode, x):
    assert close(mode.gradient(tf.exp, x), mpmath.exp(x))
    assert mode.gradient(lambda x: 1.0 + x, x) == 1
    assert close(mode.gradient(tf.math.log, abs(x) + 1.0), 1 / np.float32(abs(x) + 1.0))


@says(
    "Multiply the derivative …",
    "The product is …",
    "Factor out the …",
    "The sum $1 + …",
)
@over(x=numbers(-100, 100))
def test_equal_on_paper(x):
    with mpmath.workdps(120):
        e = mpmath.exp(x)
        for other in (e / (1 + e), 1 - 1 / (1 + e), 1 / (1 + e) * e):
            assert abs(other / sigma(mpmath.mpf(x)) - 1) < 1e-20
        shifted = max(x, 0) + mpmath.log1p(mpmath.exp(-abs(x)))
        assert abs(shifted / mpmath.log1p(e) - 1) < 1e-20


@says(
    "The type is `grad :: upstream(y) → downstream(x)`, …",
    "For a tensor, …",
)
@over(shape=[(), (0,), (3,), (2, 1, 2, 1, 2)], mode=THREE)
def test_any_shape(shape, mode):
    x = tf.random.normal(shape)
    slopes = mode.gradient(stable, x, loss=LOSSES["dense"])
    assert slopes.shape == stable(x).shape == shape
    one_by_one = [EAGER.gradient(stable, each) for each in tf.reshape(x, [-1])]
    weights = np.arange(1, x.shape.num_elements() + 1)
    assert same(tf.reshape(slopes, [-1]), weights * np.array(one_by_one), 1e-5)


@says(
    "The forward pass …",
    "A custom gradient can't …",
    "But a custom …",
)
@over(value=VALUES, x=numbers(89, 1e30))
def test_no_rule_repairs_a_value(value, x):
    def ruled(x):
        return as_written(x), lambda upstream: upstream * tf.sigmoid(x)

    assert value(tf.custom_gradient(ruled))(tf.constant(x)) == np.inf


@says(
    "The exponent on …",
    "Compute the logarithm …",
    was="'nothing is rounded away': 20 + 2.06e-09 is 20",
)
@over(value=VALUES, x=numbers(), examples=({"x": 88.5}, {"x": -16.0}))
def test_the_stable_forward_pass(value, x):
    y = value(stable)(tf.constant(x))
    assert np.isfinite(y) and not np.exp(-abs(x)) > 1
    assert close(y, mpmath.log1p(mpmath.exp(x)) if x < 88 else x)
    e = tf.constant(2e-9)
    assert value(tf.math.log1p)(e) == e and 1.0 + e == 1


@says(
    "In float32 these …",
    "Choose the form …",
    "Don't choose the …",
    "Four forms of …",
)
def test_not_equal_in_float32():
    lines = [line.text.split()[-5:] for line in trace("forms.py")[1:]]
    values, slopes = lines[::2], lines[1::2]
    assert len(values) == len({*map(tuple, values)}) + 1  # two differ by slopes only
    assert len(slopes) == len({*map(tuple, slopes)}) == 4


@says(
    "`exp(x) / (1 + exp(x))` …",
    "In the output …",
    "A custom gradient that …",
)
@over(mode=THREE)
def test_the_first_form(mode):
    form = forms["exp(x) / (1 + exp(x))"]
    assert np.isinf(tf.exp(100.0)) and np.isnan(form(tf.constant(100.0)))
    ruled = tf.custom_gradient(lambda x: (stable(x), lambda u: u * form(x)))
    assert same(mode.gradient(ruled, 100.0), mode.gradient(as_written, 100.0))
    for shape in forms.values():
        ruled = tf.custom_gradient(lambda x: (stable(x), lambda u: u * shape(x)))
        second = mode.gradient(derivative(ruled), -20.0)
        assert close(second, EAGER.gradient(shape, -20.0))


@says(
    "`1 - 1 / (1 + exp(x))` …",
    "But at −20 …",
    "Its derivative is NaN at 100.",
)
@over(mode=FOUR, x=numbers())
def test_the_second_form(mode, x):
    form = forms["1 - 1 / (1 + exp(x))"]
    assert 0 <= form(tf.constant(x)) <= 1
    assert 1.0 / (1.0 + tf.exp(-20.0)) == 1 and form(tf.constant(-20.0)) == 0
    assert same(mode.gradient(form, 100.0), np.nan)


@says(
    "`1 / (1 + exp(-x))` …",
    "At −100, its …",
    was="'right at all five points': 0 at -100, where float32 has 3.78e-44",
)
@over(mode=FOUR, x=[-100.0, -20.0, 0.0, 20.0, 100.0])
def test_the_third_form(mode, x):
    form = forms["1 / (1 + exp(-x))"]
    value, exact = form(tf.constant(x)), sigma(mpmath.mpf(x))
    if x == -100:
        assert value == 0 < np.float32(float(exact)) < TINY
    else:
        assert close(value, exact)
    assert same(mode.gradient(form, -100.0), np.nan)


@says(
    "`tf.sigmoid` is finite throughout.",
    "The absolute error …",
    "The one `False` …",
    "The second derivative contains …",
    "TensorFlow computes its …",
    "The right value …",
    "The gradient of `tf.sigmoid` …",
    r"Where $\sigma(x)$ rounds …",
    "But if you …",
)
@over(mode=FOUR, x=numbers(finite=False), examples=({"x": 20.0}, {"x": 16.7}))
def test_the_sigmoid(mode, x):
    s, slope = tf.sigmoid(tf.constant(x)), mode.gradient(tf.sigmoid, x)
    if not np.isnan(x):
        assert np.isfinite(s) and np.isfinite(slope)
        assert same(slope, s * (1 - s), 1e-6) and (s < 1 or slope == 0)
        exact = 0 if np.isinf(x) else sigma(mpmath.mpf(x)) * sigma(-mpmath.mpf(x))
        assert abs(slope - float(exact)) < 1e-6
    assert mode.gradient(tf.sigmoid, 20.0) == 0
    assert [line.text.split()[-1] for line in trace("check.py")].count("False") == 1
    assert "second" in trace("check.py").line("False").text


@says(
    "$x = 88$ …",
    "The second derivative is 3 …",
    "The program uses …",
)
def test_the_trace():
    lines = trace("stability.py")
    for line in [each for each in lines.starting("backward") if each["x"] in (88, 100)]:
        assert line["local"] == 1 and line["downstream"] == line["upstream"] == 3
    for line in lines.starting("x ="):
        s = float(sigma(mpmath.mpf(line["x"])))
        assert abs(line["second"] - 3 * s * (1 - s)) < 1e-6
    assert [each["second"] for each in lines.starting("x =") if each["x"] == 0] == [
        0.75
    ]


@says(
    "$x = -20$: …",
    "The naive formula …",
    was="'has the value 0': a tf.function has 2.06e-09",
)
def test_the_value_at_minus_20():
    lines = [each for each in trace("stability.py") if each.get("x") == -20]
    assert lines[0]["y"] == lines[1]["local"] == 2.06115369e-9
    x = tf.constant(-20.0)
    values = [float(value(as_written)(x)) for value in VALUES.values()]
    assert values == [0, lines[0]["y"], 0] or close(values[1], lines[0]["y"])
    assert values[0] == values[2] == 0


@says(
    "The second derivative is finite …",
)
@over(mode=THREE, x=numbers())
def test_the_second_derivative_is_finite(mode, x):
    assert np.isfinite(mode.gradient(derivative(stable), x))
    form = forms["1 / (1 + exp(-x))"]
    infinite = tf.custom_gradient(lambda x: (stable(x), lambda u: u * form(x)))
    assert np.isnan(mode.gradient(derivative(infinite), -100.0))


@says(
    "TensorFlow has this …",
    "Before you write …",
)
@over(mode=FOUR, x=KEPT)
def test_the_built_in(mode, x):
    assert same(tf.nn.softplus(x), stable(tf.constant(x)), 1e-6)
    assert close(mode.gradient(tf.nn.softplus, x), sigma(mpmath.mpf(x)))


@says(
    "The program runs …",
    "It compares the …",
    "It also compares …",
    "log(1 + e^x) without …",
    "The custom gradient of …",
)
def test_the_check():
    lines = [line.text for line in trace("check.py")]
    assert ["False" in line for line in lines] == [False, False, True, False]
    assert np.isfinite(np.exp(80.0, dtype=np.float64)) and "differences" in lines[3]
    x = np.linspace(-80, 80, 1601)
    assert np.allclose(stable(tf.constant(x)), np.logaddexp(0, x), 1e-12)


@says(
    "Relative error in float32 over x from −30 …",
    "Value: the curve …",
    "Two digits are …",
    "Left of that …",
    "Gradient: the official …",
    "The curve as …",
    "Softplus with sigmoid …",
    "Only softplus with …",
    "inf and NaN …",
)
def test_the_figure():
    of = drawn("figure.py")
    x, errors, top = of["exact"], of["errors"], of["TOP"]
    (written, slope), (value, rule), (soft, sigmoid) = errors.values()
    assert (x[0], x[-1]) == (-30, 100) and same(written, value)
    step, bad = x[1] - x[0], x[value >= 1e-2]
    assert max(bad[bad < 0]) + step == -12.5 and min(bad[bad > 0]) - step == 88.5
    assert {*value[x > 88.5]} == {top}
    left, right = x < -12.5, x > -2
    assert value[0] == rule[0] == 1 and same(value[left], rule[left], 0.5)
    assert max(rule[right]) < 1e-6 and max(slope[x < 0]) < 1e-6
    jump = np.argmax(slope > 1e-5)
    lost = max(slope[(x >= x[jump]) & (x <= 87.25)]) / max(slope[:jump])
    assert 70 < x[jump] < 80 and 2.5 < np.log10(lost) < 3.5
    after = slope[x > 87.25]
    assert slope[x == 87.25] < 1e-2 and {*after} == {1, top} and after[0] == 1
    assert [*after] == sorted(after) and max(soft) < 1e-6 and max(sigmoid) < 1e-6


@says(
    r"$\log \sum_i e^{x_i}$ …",
    "The right gradient …",
    "Log-likelihoods contain this …",
    "The same four …",
)
@over(mode=FOUR, far=numbers(89, 1e30))
def test_the_log_of_a_sum_overflows(mode, far):
    x = tf.constant([far, 1.0])
    assert naive_logsumexp(x) == np.inf
    assert np.isnan(mode.gradient(naive_logsumexp, x)[0])


@says(
    "`tf.math.log(tf.reduce_sum(tf.exp(x)))` — …",
    "In the program, …",
    "On paper, $y$ …",
    "That is why the gradient …",
    "With the largest …",
    "log(sum(exp(x))): shift the …",
)
@over(mode=THREE, x=arrays((3,), numbers()), m=numbers(-300, 300))
def test_any_shift(mode, x, m):
    some = [mpmath.mpf(float(each)) for each in np.clip(x, -300, 300)]
    shifted = m + mpmath.log(sum(mpmath.exp(each - m) for each in some))
    assert abs(shifted - mpmath.log(sum(map(mpmath.exp, some)))) < 1e-9
    y, slopes = logsumexp(x[None])[0], mode.gradient(logsumexp, x[None])[0]
    assert np.isfinite(y) and np.all(np.isfinite(slopes)) and max(x - max(x)) == 0
    exact = np.exp(x.astype(float) - max(x))
    assert np.allclose(slopes, exact / sum(exact), 1e-5, 1e-6)


@says(
    "If every $x_i$ …",
    "Here the program …",
    "The custom gradient returns …",
)
@over(mode=THREE, n=[1, 5])
def test_nothing_can_move(mode, n):
    x = tf.fill([1, n], -np.inf)
    total = tf.reduce_sum(tf.exp(x))
    assert np.isnan(-np.inf - -np.inf)
    assert total == 0 and np.isnan(total / total)
    assert logsumexp(x) == -np.inf and not np.any(mode.gradient(logsumexp, x))
    assert tf.reduce_logsumexp(x) == -np.inf
    assert np.all(np.isnan(mode.gradient(tf.reduce_logsumexp, x)))


@says(
    "For the other …",
)
def test_the_other_rows():
    lines = trace("logsumexp.py")
    rule, library = (lines.starting(f"  {name}") for name in ("custom", "library"))
    agree = [same(a.numbers, b.numbers) for a, b in zip(rule, library)]
    assert agree == [True, True, True, False] and np.isnan(library[3].numbers[1])


# Roots and norms.


@says(
    "Everywhere else, the …",
    "The derivative of …",
    "The norm of a …",
)
@over(mode=THREE, x=numbers(1e-37, 1e37))
def test_the_root(mode, x):
    assert mode.gradient(tf.sqrt, 1e-4 * x) > mode.gradient(tf.sqrt, x)
    assert mode.gradient(tf.sqrt, 0.0) == np.inf
    v = np.array([3.0, 4.0]) / 5
    ahead, behind = ((norm(tf.constant(h * v)) - 0) / h for h in (1e-3, -1e-3))
    assert same(ahead, 1.0, 1e-6) and same(behind, -1.0, 1e-6)
    assert same(mode.gradient(norm, np.float32(v)), np.float32(v), 1e-6)


@says(
    "The type is the …",
    "The upstream gradient is …",
)
@over(mode=FOUR)
def test_the_types_of_the_norm(mode):
    assert mode.gradient(norm, np.float32([3, 4]), loss=lambda y: 5 * y).shape == (2,)
    assert norm(tf.constant([3.0, 4.0])).shape == ()


@says(
    "At 0 you …",
    "Every vector whose …",
    "The custom gradient below …",
)
@over(g=arrays((3,), numbers(-2, 2)), x=arrays((3,), numbers(-1e3, 1e3)))
def test_subgradients(g, x):
    g = g.astype(float)
    for y in (x.astype(float), g):
        if np.linalg.norm(g) <= 1:
            assert np.linalg.norm(y) >= g @ y * (1 - 1e-12)
    if np.linalg.norm(g) > 1.001:  # along itself it is too steep
        assert np.linalg.norm(g) < g @ g
    assert not np.any(EAGER.gradient(norm, np.zeros(3, np.float32)))


@says(
    "`tf.norm(x)` — …",
    "The gradient of `tf.norm` …",
    "TensorFlow doesn't choose …",
    "The gradient of `tf.math.reduce_euclidean_norm` …",
    "Deliberately wrong: roots …",
)
@over(mode=FOUR, n=[1, 3])
def test_tensorflow_at_zero(mode, n):
    zero = np.zeros(n, np.float32)
    assert np.all(np.isnan(mode.gradient(tf.norm, zero)))
    assert mode.gradient(tf.sqrt, 0.0) == np.inf
    assert not np.any(mode.gradient(tf.square, zero))
    if mode not in IN_XLA:  # which does not have the function
        found = mode.gradient(tf.math.reduce_euclidean_norm, zero)
        assert np.all(np.isnan(found))


@says(
    "A standard deviation …",
    "If all values …",
    "So one such …",
    was="'one constant feature is enough': three times 1.7 have the gradient 0",
)
@over(mode=THREE, n=[1, 2, 8], x=st.integers(-1000, 1000))
def test_the_deviation_of_equal_numbers(mode, n, x):
    equal = np.full(n, x, np.float32)
    assert np.all(np.isnan(mode.gradient(tf.math.reduce_std, equal)))


@says(
    "In contrast, the …",
    "In this case …",
)
def test_a_rounded_mean():
    equal = tf.constant([1.7] * 3)
    assert np.all(equal - tf.reduce_mean(equal) != 0)
    shown = trace("wrong/norm.py").line("1.7, 1.7, 1.7")
    assert shown.text.endswith("gradient = 0 0 0")


@says(
    "A small number …",
    "The norm of 0 …",
    "For very short …",
)
@over(mode=THREE, length=numbers(0, 1e-8))
def test_a_small_number_inside(mode, length):
    x = np.float32([0.6 * length, 0.8 * length])
    found = mode.gradient(with_eps, x)
    assert np.linalg.norm(found) < 0.02
    assert close(with_eps(tf.zeros(2)), 1e-6)
    if length > 1e-30:
        assert close(np.linalg.norm(mode.gradient(norm, x)), 1)


@says(
    "The squares overflow …",
    "For a vector …",
)
@over(mode=FOUR)
def test_squares_overflow(mode):
    for length, value, slope in ((5e20, np.inf, 0), (5e-25, 0, np.inf)):
        x = np.float32([0.6 * length, 0.8 * length])
        assert tf.norm(x) == value and np.all(mode.gradient(tf.norm, x) == slope)
        assert close(norm(tf.constant(x)), length)
    shown = trace("wrong/norm.py").line("norm of 3e20")
    assert same(shown.numbers[-3:], [np.inf, 0, 0])


@says(
    "The norm with …",
    "The fix divides …",
    "At the zero …",
    "All four inputs …",
)
@over(mode=THREE, x=arrays((3,), numbers(-1e38, 1e38)))
def test_the_rule_of_the_norm(mode, x):
    if 0 < np.max(abs(x)) < 1e-36:
        x = x * np.float32(1e10)
    exact = x.astype(float)
    length = np.linalg.norm(exact)
    assert norm(tf.zeros(3)) == 0 and not np.any(mode.gradient(norm, tf.zeros(3)))
    assert close(norm(tf.constant(x)), length)
    found = mode.gradient(norm, x)
    assert np.allclose(found, exact / (length or 1), 1e-5, 1e-5)


@says(
    "`tf.math.divide_no_nan` returns 0 …",
    was="'and so does its own gradient': NaN for an upstream that is NaN or infinite",
)
@over(
    mode=THREE,
    dtype=[tf.float16, tf.float32, tf.complex64],
)
def test_divide_no_nan(mode, dtype):
    x = tf.cast([-7.0, 0.0, np.inf, np.nan], dtype)
    zero = tf.cast([0.0, -0.0, 0.0, -0.0], dtype)
    assert not np.any(tf.math.divide_no_nan(x, zero))
    for loss in (LOSSES["ones"], LOSSES["zeros"]):
        found = mode.gradients(tf.math.divide_no_nan, x, zero, loss=loss)
        assert not np.any(found)
    nan = mode.gradients(tf.math.divide_no_nan, x, zero, loss=LOSSES["nan"])
    assert np.all(np.isnan(nan[1]))


@says(
    "`grad` calls `norm` …",
    "With `tf.sqrt`, whose …",
)
@over(mode=FOUR)
def test_the_rule_calls_itself(mode):
    @tf.custom_gradient
    def keeps_y(x):
        m = tf.reduce_max(tf.abs(x))
        scaled = tf.math.divide_no_nan(x, m)
        y = m * tf.sqrt(tf.reduce_sum(scaled * scaled))
        return y, lambda upstream: upstream * tf.math.divide_no_nan(x, y)

    zero = np.zeros(2, np.float32)
    second = mode.gradient(derivative(keeps_y), zero)
    assert np.all(np.isnan(second)) if mode in IN_XLA else not np.any(second)
    assert not np.any(mode.gradient(derivative(norm), zero))
    x = np.float32([3, 4])
    one = mode.gradient(lambda x: derivative(norm)(x)[0], x)
    assert same(one, [16 / 125, -12 / 125], 1e-5)


# Small differences.

EXP, LOG = (lambda x: tf.exp(x) - 1.0), (lambda x: tf.math.log(1.0 + x))


@says(
    "When $x$ is …",
    "They do so …",
    "At 1, float32 …",
    was="without 'eagerly and under XLA': a tf.function gives 1e-10 at 1e-10",
)
@over(form=[EXP, LOG], x=numbers(1e-30, 1e-8), cases=6)
def test_small_differences(form, x):
    assert VALUES["eager"](form)(tf.constant(x)) == 0
    assert VALUES["XLA"](form)(tf.constant(x)) == 0
    assert same(np.spacing(np.float32(1)), 1.2e-7, 0.01)
    steps = form(tf.constant(np.float32([5e-8, 1e-7, 1.3e-7])))
    assert len({*steps.numpy()}) == 2


@says(
    "`tf.math.expm1` and `tf.math.log1p` …",
    "Before you write …",
    "`tf.exp(x) - 1.0` or …",
    "If you call …",
)
@over(value=VALUES, x=numbers(1e-30, 80), sign=[1, -1])
def test_the_functions_for_it(value, x, sign):
    x = np.float32(sign * min(x, 0.9 if sign < 0 else x))
    exact = mpmath.mpf(float(x))
    assert close(value(tf.math.expm1)(tf.constant(x)), mpmath.expm1(exact))
    assert close(value(tf.math.log1p)(tf.constant(x)), mpmath.log1p(exact))


@says(
    "A `tf.function` without …",
)
@over(
    form=[EXP, LOG],
    dtype=[tf.float32, tf.float64],
    shape=[(), (3,), (None,), (None, 2), (1, 2, None, 1, 3), None],
)
def test_a_graph_calls_them(form, dtype, shape):
    x = tf.fill([each or 2 for each in shape or ()], tf.constant(1e-20, dtype))
    graph = tf.function(form, input_signature=[tf.TensorSpec(shape, dtype)])
    assert np.all(np.array(graph(x)) == (0 if shape is None else x))


# Where it breaks.


@says(
    r"$\max(x, 0)$ and …",
    "But at each …",
    "In the first …",
    "At 0 the …",
    was="'the conventions do not cancel': they do in 0.5(x + |x|)",
)
@over(mode=FOUR)
def test_the_kinks(mode):
    slopes = []
    for form in program("wrong/no_rule.py").forms.values():
        assert close(form(tf.constant(0.0)), np.log(2))
        slopes.append(mode.gradient(form, 0.0))
        assert close(mode.gradient(form, 1e-3), sigma(mpmath.mpf(1e-3)))
    assert slopes == [1, 0, 0, 0.5] and sigma(mpmath.mpf(0)) == 0.5
    assert [line.text.split()[-2] for line in trace("wrong/no_rule.py")] == [
        f"{slope:.5f}" for slope in slopes
    ]


def half(x):
    return 0.5 * (x + tf.abs(x)) + tf.math.log1p(tf.exp(-tf.abs(x)))


@says(
    "The input 0 …",
    "The gradient at 0 …",
    "With `0.5 * (x + tf.abs(x))` …",
    "A custom gradient doesn't …",
    was="'a forward pass whose kinks cancel needs a rule': not with 0.5(x + |x|)",
)
@over(mode=THREE, x=arrays((1, 3), numbers()))
def test_how_the_kink_is_written(mode, x):
    assert mode.gradient(half, 0.0) == mode.gradient(stable, 0.0) == 0.5
    assert not np.any(x @ np.zeros((3, 1), np.float32))


@says(
    r"On paper $\frac{e^{x_i}}{\sum_j e^{x_j}} = e^{x_i - y}$, …",
    "But in float32 …",
    "Around ten million …",
    "Deliberately wrong: softmax …",
)
def test_the_rounded_softmax():
    x = np.array([0.3, -2.0, 5.0])
    assert np.allclose(tf.nn.softmax(x), np.exp(x - tf.reduce_logsumexp(x)), 1e-12)
    assert np.spacing(np.float32(1e7)) == 1 > np.spacing(np.float32(1e3))
    sums = trace("wrong/softmax.py").all("sum")
    assert sums == [1, 1, 1.0008, 1.3679] == sorted(sums)


def masked_with_the_rule(scores):
    left = scores + tf.where(masked.mask, 0.0, -np.inf)
    return tf.where(masked.any_left, logsumexp(left), 0.0)


@says(
    "A mask adds …",
    "`in_time` leaves such …",
    "So the log …",
    "If a row …",
    "The upstream gradient of …",
    "Deliberately wrong: a …",
)
@over(mode=THREE, scores=arrays((2, 2), numbers(-80, 80)))
def test_the_masked_row(mode, scores):
    late = mode.gradient(masked.too_late, scores)
    assert np.all(np.isfinite(late[0])) and np.all(np.isnan(late[1]))
    assert np.all(np.isfinite(mode.gradient(masked.in_time, scores)))
    assert np.all(np.isfinite(mode.gradient(masked_with_the_rule, scores)))


BRANCHES = {
    "sqrt(x)": tf.sqrt,
    "log(x)": tf.math.log,
    "1 / x": lambda x: 1.0 / x,
    "x log(x)": lambda x: x * tf.math.log(x),
    "arcosh(1 + x)": lambda x: tf.acosh(1.0 + x),
}


def single(branch):
    return lambda x: tf.where(x > 0.0, branch(x), 0.0)


def double(branch):
    return lambda x: tf.where(x > 0.0, branch(tf.where(x > 0.0, x, 1.0)), 0.0)


@says(
    "The double where gives …",
    "With the double where, …",
    "First and second …",
    "`tf.where` with an …",
    "On paper, the …",
    "Deliberately wrong: one …",
)
@over(mode=THREE, branch=BRANCHES)
def test_the_double_where(mode, branch):
    x, taken = np.float32([0, -3, 2]), EAGER.gradient(branch, 2.0)
    assert same(mode.gradient(double(branch), x), [0, 0, taken], 1e-6)
    assert not np.any(mode.gradient(derivative(double(branch)), x)[:2])
    for line in trace("wrong/where.py"):
        assert "double" not in line.text or line.numbers[-4:] == [0] * 4


@says(
    "The rows with …",
    "Where $f(x)$ isn't …",
    was="'the tape multiplies …: NaN': tf.sqrt returns 0 without XLA",
)
@over(mode=THREE)
def test_one_where(mode):
    sent = []

    @tf.custom_gradient
    def log(x):
        def grad(upstream):
            sent.append(upstream)
            return upstream / x

        return tf.math.log(x), grad

    assert np.isnan(mode.gradient(single(log), 0.0))
    assert mode is not EAGER or sent == [0]
    saved = {n: same(mode.gradient(single(f), 0.0), 0.0) for n, f in BRANCHES.items()}
    assert any(saved.values()) == (mode not in IN_XLA) and not all(saved.values())


@says(
    "`sqrt`: without XLA, …",
    "The second derivative is NaN …",
    "Under XLA, the …",
    "`log`: the first …",
    was="'in eager mode': a tf.function without XLA does the same",
)
@over(mode=FOUR)
def test_the_branches(mode):
    nan_in_xla = np.nan if mode in IN_XLA else 0.0
    root, log = single(tf.sqrt), single(tf.math.log)
    zero = mode.gradient(tf.sqrt, np.zeros(2, np.float32), loss=LOSSES["zeros"])
    assert same(zero, [nan_in_xla] * 2)
    assert same(mode.gradient(root, 0.0), nan_in_xla)
    assert same(mode.gradient(derivative(root), 0.0), np.nan)
    assert same(mode.gradient(log, 0.0), np.nan)
    assert same(mode.gradient(derivative(log), 0.0), nan_in_xla)


@says(
    "If the single …",
    "For example, it is NaN …",
)
@over(mode=FOUR)
def test_where_inside_a_rule(mode):
    @tf.custom_gradient
    def root(x):
        def grad(upstream):
            return upstream * tf.where(x > 0.0, 0.5 / tf.sqrt(x), 0.0)

        return tf.sqrt(x), grad

    first = mode.gradient(root, np.float32([0, 4]))
    assert same(first, [0, 0.25])
    second = mode.gradient(derivative(root), np.float32([0, 4]))
    assert same(second, [np.nan, -0.03125])
    if mode is EAGER:  # "can be": tf.sqrt spares the branch that isn't chosen

        @tf.custom_gradient
        def power(x):
            def grad(upstream):
                return upstream * tf.where(x > 0.0, 1.5 * tf.sqrt(x), 0.0)

            return x * tf.sqrt(x), grad

        assert same(mode.gradient(derivative(power), np.float32([0, 4])), [0, 0.375])


# Exercises.


@says(
    "The largest float16 …",
    "The gradient is NaN.",
    "$e^{12}$ overflows to …",
    "`tf.nn.softplus` has the …",
)
@over(mode=[EAGER])
def test_float16(mode):
    def f(x):
        return tf.math.log(tf.cast(1.0, x.dtype) + tf.exp(x))

    x = tf.constant(12.0, tf.float16)
    assert tf.float16.max == 65504 and round(float(np.exp(12.0))) == 162755
    assert np.isnan(np.float32(mode.gradient(f, x))) and tf.exp(x) == np.inf
    assert mode.gradient(tf.nn.softplus, x) == 1


@says(
    "At the first …",
    "At the second …",
)
@over(mode=MODES)
def test_two_norms(mode):
    at, zero = (mode.gradient(tf.norm, x) for x in ([3.0, 4.0], [0.0, 0.0]))
    assert same(at, [0.6, 0.8], 1e-6) and tf.norm([3.0, 4.0]) == 5
    assert np.isnan(np.asarray(zero)).sum() == len(zero) == 2


@says(
    "The gradient function calls …",
    "The first line copies …",
    "The second derivative then …",
    "Solution: the derivative …",
    "At 20 and …",
)
@over(mode=THREE, x=numbers(-40, 40))
def test_the_sigmoid_that_keeps_its_digits(mode, x):
    s, t = sigma(mpmath.mpf(x)), sigma(-mpmath.mpf(x))
    assert close(mode.gradient(sigmoid, x), s * t)
    second = float(mode.gradient(slope_of_sigmoid, x))
    assert abs(second - s * t * (t - s)) < 1e-6 * s * t
    assert close(mode.gradient(sigmoid, 20.0), 2.06115362e-9)


def without_copy(function):
    """The same gradient function, of the input itself."""

    @tf.custom_gradient
    def called(x):
        y = function(x)
        return y, lambda upstream: upstream * slope(called, x)

    def slope(called, x):
        by_norm = function is norm
        return x / called(x) if by_norm else called(x) * called(-x)

    return called


@says(
    "If the tapes …",
    "That is why the first …",
    "Without the copy, tapes …",
    "for tapes outside a tf.function, and …",
    "Without this copy, …",
)
@over(mode=[EAGER, INSIDE, NESTED, XLA, *OUTSIDE, BLOCKS[1]])
def test_the_copy(mode):
    """Of both functions in one graph; without the copy, of each alone."""
    x = [0.75, -1.5]

    def plain(x):
        return tf.sqrt(tf.reduce_sum(x * x)) + tf.reduce_sum(tf.sigmoid(x))

    def both(x):
        return norm(x) + tf.reduce_sum(sigmoid(x))

    orders = [1, 2] if mode in MODES else [2]
    if mode in (AROUND, NESTED):
        orders.append(3)
    for order in orders:
        right = EAGER.derivative(plain, x, order)
        assert np.allclose(mode.derivative(both, x, order), right, 1e-4, 1e-5)
    for bare in without_copy(norm), without_copy(sigmoid):
        if mode in OUTSIDE[:2]:
            assert "out of scope" in message(mode.derivative, bare, x)
        if "branch" in mode.name and "around" in mode.name:
            assert "AssertionError" in message(mode.derivative, bare, x, 1)


@says(
    "If $e^{-x}$ is …",
    "Then find a …",
    "The double where keeps …",
    "Solution: log(1 - …",
    "Where $x$ is small, …",
    "Where $x$ is large, …",
    "At 30, the …",
)
@over(mode=THREE, x=numbers(1e-30, 80), examples=({"x": 1e-10}, {"x": 30.0}))
def test_the_complement(mode, x):
    probability = 1 - mpmath.exp(-mpmath.mpf(x))
    with mpmath.workdps(60):
        exact = mpmath.log(-mpmath.expm1(-mpmath.mpf(x)))
        assert 0 <= probability <= 1 and close(log1mexp(tf.constant(x)), exact)
        assert close(mode.gradient(log1mexp, x), 1 / mpmath.expm1(mpmath.mpf(x)))
    small, large = (
        lambda x: tf.math.log(-tf.math.expm1(-x)),
        lambda x: tf.math.log1p(-tf.exp(-x)),
    )
    assert small(30.0) == 0 and large(1e-10) == -np.inf


@says(
    "The program switches …",
)
def test_where_it_changes_over():
    assert mpmath.exp(-mpmath.log(2)) == 1 - mpmath.exp(-mpmath.log(2)) == 0.5
    text = source("solution.py")
    assert "near = x < np.log(2.0)" in text


@says(
    "At $10^{-10}$, the …",
)
@over(mode=FOUR)
def test_the_naive_form(mode):
    for value in VALUES.values():
        assert value(naive)(tf.constant(1e-10)) == -np.inf
        assert value(naive)(tf.constant(30.0)) == 0
    assert mode.gradient(naive, 1e-10) == np.inf


pointer(
    "You compute — What …",
    "You need to know …",
    "The program that …",
    "After this page …",
    "To find a …",
    "Derive: a sigmoid …",
    "Derive: the complement …",
    "Make two quick …",
    "Predict: float16.",
    "Predict: the norm.",
    "The gradients of …",
    "Look at the lines …",
    "The figure shows …",
    "Deliberately wrong: the …",
    "log(1 + e^x) computed …",
    "Deliberately wrong: only …",
)
advice(
    r"Replace $1 - \sigma(x)$ …",
    "Write the local derivative as …",
    "Look at the gradient …",
    "Compare the columns …",
    "Use `tf.nn.softplus`, and …",
    "Look for `nan`:",
    "Look at the other …",
    "So check both …",
    "Fix: use `tf.nn.softplus`, …",
    "Fix: add the …",
    "Fix: compute the …",
    "Fix: give the …",
    "Fix: the double …",
    "Look at the sums …",
    "Look at the last …",
    "Compare the `single` …",
    "At each of …",
    "The gradient function prints …",
)

definition(
    "The input and …",
    "For scalars, this …",
    "The factor in …",
    "You can write the local …",
    "You can write the second …",
    "Suppose the function …",
    "What is the gradient of `tf.math.log(1.0 + tf.exp(x))` …",
    "What is the gradient of `tf.norm(x)` …",
    "Write a custom …",
    "Which functions must …",
    "Derive the gradient …",
    "These lines, which …",
    "Look at the last input.",
    "You need more …",
)
