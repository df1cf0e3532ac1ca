"""What the page on the stop-gradient trick says in words."""

from truth.statements.tries import *

FEW = [EAGER, AROUND, XLA]
SURROGATES = {
    "tanh": tf.tanh,
    "sin": tf.sin,
    "cube": lambda x: x * x * x,
    "product": lambda x: x * tf.sigmoid(x),
}
POINTS = [-4.0, -1.0, -0.5, -1e-3, -1e-30, -0.0, 0.0, 1e-30, 0.3, 0.5, 1.0, 2.5]
SLOPE, CURVATURE = 1 - np.tanh(0.5) ** 2, -2 * np.tanh(0.5) * (1 - np.tanh(0.5) ** 2)


def borrowed(value, s):
    return lambda x: tf.stop_gradient(value(x)) + (s(x) - tf.stop_gradient(s(x)))


def short(value, s):
    return lambda x: s(x) + tf.stop_gradient(value(x) - s(x))


def differences(function, x, h=1e-2):
    return (function(x + h) - function(x - h)) / (2 * h)


# tf.stop_gradient.


@says(
    "Differentiation treats a …",
    "`tf.stop_gradient` makes a …",
    "The value stays …",
    "Both functions below …",
    "tf.stop_gradient: the factor …",
)
@over(mode=FEW, x=numbers(-1e3, 1e3))
def test_a_stopped_factor(mode, x):
    factor = program("stop.py").with_stopped_factor
    assert same(factor(tf.constant(x)), np.float32(x) ** 2)
    assert same(mode.gradient(factor, x), np.float32(x))
    assert mode.gradient(derivative(factor), x) is None
    assert same(tf.stop_gradient(x), x) and mode.gradient(tf.stop_gradient, x) is None
    assert [line["second"] for line in trace("stop.py")] == [2.0, "None"]


@says("Don't use it …")
@over(mode=FEW)
def test_stopped_inside_a_rule(mode):
    stopped = tf.custom_gradient(
        lambda x: (x**3, lambda u: u * 3 * tf.stop_gradient(x) ** 2)
    )
    assert mode.gradient(derivative(stopped), 2.0) is None
    assert same(mode.gradient(derivative(lambda x: x**3), 2.0), 12.0)


# Derivation.


@says(
    "The first derivative of …",
    "Because the tape …",
    "Only the value of …",
    "For any function …",
    "The steps use …",
    "At 0 the …",
)
@over(mode=MODES)
def test_the_identity(mode):
    x, surrogates = tf.constant(POINTS), [*SURROGATES.values()]
    values = tf.sign, lambda x: 7.0 * tf.ones_like(x)
    forms = [borrowed(value, s) for value in values for s in surrogates]
    found = mode.gradients(lambda *xs: [f(x) for f, x in zip(forms, xs)], *[x] * 8)
    for one, expected in zip(found, [EAGER.gradient(s, x) for s in surrogates] * 2):
        assert np.allclose(one, expected, 1e-4, 1e-6)
    assert all(same(form(x), tf.sign(x)) for form in forms[:4])


@says(
    "The first derivative of …",
    "The four steps …",
    "Second derivatives and …",
)
@over(mode=FEW)
def test_the_identity_twice(mode):
    seconds = [derivative(short(tf.sign, s)) for s in SURROGATES.values()]
    found = mode.gradients(lambda *xs: [f(x) for f, x in zip(seconds, xs)], *[0.5] * 4)
    expected = [EAGER.gradient(derivative(s), 0.5) for s in SURROGATES.values()]
    assert same(found, expected, 1e-5)
    for s in SURROGATES.values():
        twice = mode.derivative(short(tf.sign, s), [0.5], 2)
        assert same(twice, [EAGER.gradient(derivative(s), 0.5)], 1e-5)


@says(
    "The first derivative of …",
    "The four steps …",
    "Second derivatives and …",
)
@over(forward=FORWARDS)
def test_the_identity_forward(forward):
    for s in SURROGATES.values():
        form = short(tf.sign, s)
        assert same(forward.jvp(form, 0.5), EAGER.gradient(s, 0.5), 1e-5)


@says(
    "`tf.stop_gradient` makes $c$ …",
    "Write $z$ as …",
    "$c$ may change …",
)
@over(mode=FEW, x=numbers(-5, 5), c=numbers())
def test_the_number_does_not_matter(mode, x, c):
    def added(x, c):
        computed = tf.sign(x), tf.exp(x), c * x, c
        return tf.tanh(x) + tf.add_n([tf.stop_gradient(each) for each in computed])

    slope, of_c = mode.gradients(added, x, c)
    assert same(slope, EAGER.gradient(tf.tanh, x), 1e-3) and of_c is None


@says(
    "The program below …",
    "The trick computes `z …",
    "The line `s …",
    "The symbol $:=$ …",
    "All other steps …",
    "Here $y$ is …",
)
@over(x=numbers(), cases=100)
def test_the_value_is_the_sign(x):
    identity = program("stop_gradient.py").trick
    assert same(identity(tf.constant(x)), tf.sign(tf.constant(x)))


@says(
    "The program computes …",
    "The value is the sign …",
    "The gradient is the upstream …",
    "The stop-gradient trick: the …",
)
def test_what_the_program_prints():
    of_parts, of_z, backward = trace("stop_gradient.py")
    assert of_z["z"] == of_parts["y"] == np.sign(0.5)
    assert np.isclose(of_parts["s"] + of_parts["c"], of_z["z"], 1e-6)
    upstream, local, downstream = backward.numbers
    assert upstream == 10 and local == 0.7864 == round(SLOPE, 4)
    assert np.isclose(upstream * local, 7.864) and abs(downstream - 7.864) < 1e-3


@says("The types of …", "It works elementwise, …")
@over(mode=FEW, x=arrays(elements=numbers(-5, 5)))
def test_elementwise(mode, x):
    form = short(tf.sign, tf.tanh)
    found = np.asarray(mode.gradient(form, x))
    each = [float(EAGER.gradient(form, float(one))) for one in x.ravel()]
    assert found.shape == x.shape and np.allclose(found.ravel(), each, 1e-4, 1e-6)


@says("With $x$ itself …")
@over(mode=FEW)
def test_straight_through(mode):
    x = tf.constant(POINTS)
    for f in (tf.sign, tf.round):
        ways = borrowed(f, tf.identity), tf.grad_pass_through(f)
        assert same(*(way(x) for way in ways))
        loss = LOSSES["not constant"]
        found = mode.gradients(
            lambda *xs: loss(ways[0](xs[0])) + loss(ways[1](xs[1])), x, x
        )
        assert same(*found) and same(found[0], 2.0 * f(x))


# Floating point.


@says(
    "In floating point, …",
    "Rounding can change …",
    "If $y$ is much …",
    was="'are lost': none of 1 beside 1000.5",
)
@over(dtype=FLOATS)
def test_the_sum_need_not_be_exact(dtype):
    s = tf.ones([], dtype)
    assert any(s + (y - s) != y for y in tf.constant([0.001, 0.003, 0.007], dtype))
    y, s = tf.cast(1.0, dtype), tf.cast(96.5, dtype)
    assert s + (y - s) == y


@says(
    "It is $y$ if …",
    "$y$ and $s$ have …",
    "The exception is a difference …",
    was="'whenever': y = 1.2e-38, s = 1.3e-38 gives 1.3e-38, since the difference is subnormal",
)
@over(dtype=FLOATS, y=numbers(0), share=st.floats(0.5, 2.0), sign=[1, -1], cases=64)
def test_sterbenz(dtype, y, share, sign):
    y = tf.cast(sign * y, dtype)
    s = tf.cast(share, dtype) * y
    between = min(y / 2, 2 * y) <= s <= max(y / 2, 2 * y)
    smallest = {tf.float16: 1e-4}.get(dtype, 1e-30)
    if between and np.isfinite(float(2 * s)) and abs(float(y)) > smallest:
        assert float(y - s) == float(y) - float(s)
        assert s + (y - s) == y
    tiny = tf.constant(1.2e-38), tf.constant(1.3e-38)
    assert tiny[0] - tiny[1] == 0 and tiny[1] + (tiny[0] - tiny[1]) != tiny[0]


@says(
    "With $x$ as …",
    "So $z$ is …",
    was="'a rounding': of infinity it is NaN; floor takes -0.1 to -1, ten times as far",
)
@over(dtype=FLOATS, x=numbers(around=[0.5, 1, 1.5, 2048]), cases=64)
def test_a_rounding_keeps_its_value(dtype, x):
    x = tf.cast(x, dtype)
    if np.isfinite(float(x)):
        assert same(short(tf.round, tf.identity)(x), tf.round(x))
        assert same(short(tf.zeros_like, tf.identity)(x), 0.0)
        y = tf.round(x)
        assert y == 0 or min(y / 2, 2 * y) <= x <= max(y / 2, 2 * y)
    assert tf.floor(-0.1) == -1 and not -2 <= -0.1 <= -0.5


@says("The function `exact` …", "The form `tf.stop_gradient(y) …", "It adds $s …")
@over(
    dtype=FLOATS,
    s=numbers(),
    y=numbers(),
    graph=[tf.function(lambda y, s: y + (s - s), jit_compile=c) for c in (None, True)],
    cases=64,
)
def test_the_second_form(dtype, s, y, graph):
    s, y = tf.cast(s, dtype), tf.cast(y, dtype)
    if np.isfinite(float(s)) and np.isfinite(float(y)):
        assert s - s == 0 and same(graph(y, s), y + 0.0)


@says("If $s$ overflows, …", "In both forms, …")
@over(compiled=[None, True])
def test_a_surrogate_must_be_finite(compiled):
    x = tf.constant(POINTS)[:, None]

    def both(x):
        overflows = tf.constant([np.inf, -np.inf, np.nan])
        forms = borrowed, short
        return tf.stack([f(lambda x: x, lambda x: x + overflows)(x) for f in forms])

    assert both(x).shape == [2, len(POINTS), 3] and np.isnan(both(x)).all()
    assert np.isnan(tf.function(both, jit_compile=compiled)(x)).all()


@says(
    "In the third …",
    "Two forms of …",
)
def test_how_many_differ():
    lines = {each.text[:27].strip(): [] for each in trace("exact.py")}
    for each in trace("exact.py"):
        lines[each.text[:27].strip()].append(each["differ"])
    assert lines["x / 1000, derivative of x"] == [1000, 0]
    assert lines["sign, derivative of exp"] == [1001, 1001]


# Check.


@says(
    "Don't compare a …",
    "For example, the sign …",
    "For example, the …",
    was="'the differences of a step are zeros': at 0 they are 1 / h",
)
@over(f=[tf.sign, tf.round], x=numbers(-5, 5), cases=64)
def test_differences_of_a_step(f, x):
    h, x = 2.0**-6, tf.constant(x)
    step = (borrowed(f, tf.tanh)(x + h) - borrowed(f, tf.tanh)(x - h)) / (2 * h)
    jumps = f(x + h) != f(x - h)
    assert same(step, 0.0) or jumps
    assert not same(differences(tf.sign, tf.constant(0.0)), 0.0)


@says(
    "Compare the surrogate …",
    "Both derivatives agree …",
    "The line of zeros …",
    "The program uses the exact …",
    "Finite differences of the trick …",
)
def test_what_the_check_prints():
    lines = [each.numbers for each in trace("check.py")]
    slope, of_tanh, of_itself, second, of_slope, of_tanh_slope = lines
    assert slope == of_tanh and of_itself == [0, 0, 0]
    assert second == of_slope == of_tanh_slope != of_itself


# Where it breaks.


@says(
    "Suppose you know …",
    "You could write …",
    "The first derivative is …",
    "By the product …",
    "The factor $x …",
    "The derivative as a …",
    "Deliberately wrong: a local …",
)
@over(mode=FEW)
def test_a_local_derivative_as_a_factor(mode):
    def factor(g):
        return lambda x: tf.stop_gradient(tf.sign(x)) + g(x) * (x - tf.stop_gradient(x))

    def added(functions):
        return lambda *xs: [f(x) for f, x in zip(functions, xs)]

    slopes, x = [tf.tanh, lambda x: x * x * x], [tf.constant(0.75)] * 2
    firsts = mode.gradients(added([factor(g) for g in slopes]), *x)
    assert same(firsts, [g(x[0]) for g in slopes], 1e-5)
    seconds = mode.gradients(added([derivative(factor(g)) for g in slopes]), *x)
    assert same(seconds, [2.0 * EAGER.gradient(g, x[0]) for g in slopes], 1e-5)


@says("So both terms …", "If you stop …")
def test_counted_twice():
    second = trace("wrong/linear.py").all("second")
    assert second == [-0.7269, -1.4537, "None"]
    assert trace("wrong/linear.py")[2].text.startswith("with_stopped_factor")
    assert np.isclose(second[1], 2 * CURVATURE, 1e-4)


# The exercises.


@says(
    "Let `s = …",
    "The value is 8, …",
    "Only the value comes …",
)
@over(mode=MODES)
def test_the_cube_with_a_sine(mode):
    def z(x):
        s = tf.sin(x)
        return s + tf.stop_gradient(x**3 - s)

    assert z(tf.constant(2.0)) == 8
    first, second = mode.gradient(z, 2.0), mode.gradient(derivative(z), 2.0)
    assert round(float(first), 4) == round(np.cos(2), 4) == -0.4161
    assert round(float(second), 4) == round(-np.sin(2), 4) == -0.9093


@says(
    "What is the gradient of `x …",
    "The gradient is 9: …",
    "Without the stop …",
)
@over(mode=MODES)
def test_a_stopped_square(mode):
    stopped = mode.gradient(lambda x: x * tf.stop_gradient(x * x), 3.0)
    plain = mode.gradient(lambda x: x * x * x, 3.0)
    assert stopped == 9 and plain == 27


@says(
    "The derivative of $s$ is …",
    "The upstream gradients are …",
    "The values of $z$ …",
    "The value should …",
    "The weights $w$ …",
    "The gradient agrees …",
    "A step with …",
)
@over(mode=MODES, x=[-30.0, -0.25, 0.0, 1e-30, 0.5, 3.0])
def test_a_step_with_softsign(mode, x):
    solution = program("solution.py")
    assert same(solution.by_trick(tf.constant(x)), 1.0 if x > 0 else 0.0)
    derivative_of_s = 1 / (1 + x) ** 2 if x > 0 else 1 / (1 - x) ** 2
    assert same(mode.gradient(solution.by_trick, x), derivative_of_s, 1e-4)
    z, gradient, from_differences = (each.numbers for each in trace("solution.py"))
    at, w = [-1, 0, 3], [4, 8, 32]
    derivatives = [1 / (1 + abs(each)) ** 2 for each in at]
    assert derivatives == [1 / 4, 1, 1 / 16] and z == [0, 0, 1]
    assert gradient == [a * b for a, b in zip(w, derivatives)] == [1, 8, 2]
    assert gradient == from_differences


advice(
    "Use `tf.stop_gradient` for …",
    "Use a surrogate …",
    "After this page …",
    "If you know the derivative …",
    "Compare the gradient with …",
)
pointer(
    "You need the …",
    "The tape explains …",
    "When to write a …",
    "Compare how many …",
    "Compare their derivatives:",
    "Compare the value …",
    "Either of these …",
    "Make two quick …",
    "Predict: the cube …",
    "Predict: a product …",
    "Derive: a step …",
    "A program with …",
    "To change the …",
    "The surrogate is …",
    "Write $z$ with …",
)
