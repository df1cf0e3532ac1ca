"""What the page on the kink says in words."""

import re

from truth.statements.tries import *

HALVES = [tf.float16, tf.bfloat16, tf.float32, tf.float64]


@tf.custom_gradient
def bend(x):
    return plain(x), lambda upstream: tf.where(x > 0, 2 * upstream, upstream)


def plain(x):
    return tf.where(x > 0, 2 * x, x)


def f(t):
    return np.maximum(t, 2 * t)


@says(
    "At $x = -1$ …",
    "At $x = 0$ …",
    "At $x = 1$ …",
    "The upstream gradient is …",
    "A kink: 2x …",
)
def test_the_trace():
    forward, y, backward, gradient = trace("kink.py")
    assert forward["x"] == [-1, 0, 1] and forward["y"] == y["y"] == [-1, 0, 2]
    assert backward["local"] == backward["downstream"] == [1, 1, 2]
    assert backward["upstream"] == [1, 1, 1] and gradient["gradient"] == [1, 1, 2]


@says(
    "The example, $f(t) …",
    "At 0, every …",
    "Use the same …",
    "The function that …",
    "`grad` returns `upstream …",
    "On each side …",
    "This page picks …",
    "With this choice, …",
)
@over(mode=MODES, dtype=FLOATS, x=numbers(-100, 100, around=[0]))
def test_the_slope_on_each_side(mode, dtype, x):
    x = tf.cast(x, dtype)
    assert same(mode.gradient(bend, x), 2.0 if x > 0 else 1.0)
    assert same(plain(x), 2 * x if x > 0 else x)
    conditions = set(re.findall(r"tf\.where\((.*?),", source("kink.py")))
    assert conditions == {"x > 0.0"} and len(conditions) == 1


@says(
    "A vector goes …",
    "Element $i$ of …",
    "Each element of …",
    "So the downstream …",
    r"Here $\local{c}$ is …",
    "The type of …",
)
@over(x=arrays((3,), numbers(-10, 10)), i=[0, 1, 2])
def test_elementwise(x, i):
    moved = x.copy()
    moved[i] += 1
    changed = np.flatnonzero(plain(moved).numpy() != plain(x).numpy())
    assert plain(x).shape == x.shape and {*changed} <= {i}
    found = EAGER.gradient(bend, x, LOSSES["dense"])
    assert same(found, [1, 2, 3] * np.where(x > 0, 2, 1))


@says(
    "At 0 the …",
    "The slopes from …",
    "Away from 0 …",
    "At 0, the …",
    "The gradient function returns …",
    "Inside the loss …",
    "At the three …",
    "The program compares …",
    "The custom gradient …",
)
def test_the_check():
    head, *rows = trace("check.py")
    assert head.text.split("  ")[-4:] and head.text.index("left") < head.text.index(
        "right"
    )
    by_x = {row.numbers[0]: row.numbers[1:] for row in rows}
    assert by_x == {-1: [-4] * 4, 0: [-3, -3, -3, -6], 1: [-2] * 4}
    assert [y - 3 for y in plain(np.array([-1.0, 0, 1])).numpy()] == [-4, -3, -1]


def at_both(x, y):
    return tf.cast(plain(x), y.dtype) + plain(y)


@says("Autodiff returns the …")
@over(mode=COMMON, zero=[0.0, -0.0])
def test_autodiff_at_0(mode, zero):
    given = [tf.cast(zero, dtype) for dtype in (tf.float16, tf.float64)]
    assert same(mode.gradients(at_both, *given), [1.0, 1.0])


@says(
    "The function $f$ …",
    "For a convex …",
    "If this line …",
    "Every slope from …",
    "At 0, every …",
    "With any other …",
)
@over(cases=100, s=numbers(-9, 9, around=[1, 2]), t=numbers(-9, 9), u=numbers(-9, 9))
def test_subgradients(s, t, u):
    assert f((t + u) / 2) <= (f(t) + f(u)) / 2 + 1e-12
    below = all(s * each <= f(each) for each in (-1.0, 1.0, t))
    assert below == (1 <= s <= 2) or (1 <= s <= 2) == (s <= f(1.0) and -s <= f(-1.0))
    if not 1 <= s <= 2:
        assert (s > f(1.0)) != (-s > f(-1.0))  # on one side


@says(
    "Central differences give …",
    "Central differences use …",
    "This value is …",
    "The gradient function is right, …",
    "Deliberately wrong: a …",
)
@over(h=numbers(1e-37, 1e30))
def test_central_differences(h):
    assert f(h) / h == 2 and f(-h) / -h == 1
    assert (f(h) - f(-h)) / (2 * h) == 1.5
    _, custom, differences = trace("wrong/gradcheck.py")
    assert custom["custom"] == [1, 1, 2] and differences["differences"] == [1, 1.5, 2]
    assert len(trace("wrong/gradcheck.py")) == 3


@says("`tf.test.compute_gradient` returns …", "The next program prints …")
def test_compute_gradient_returns_jacobians():
    for [jacobian] in tf.test.compute_gradient(plain, [tf.constant([-1.0, 1.0, 3.0])]):
        assert same(jacobian, np.diag([1, 2, 2]), 1e-3)


@says(
    "`tf.cond` runs one …",
    "`tf.cond` makes one …",
    "But `x > …",
    "This is the …",
    "A graph raises …",
    "The fix is `tf.where`, …",
    "For one decision …",
    "Deliberately wrong: tf.cond …",
    "Compare the call …",
)
@over(graph=[False, True], size=[2, 3], value=[-1.0, 1.0])
def test_cond(graph, size, value):
    def chosen(x, truth):
        return tf.cond(truth, lambda: 2 * x, lambda: x)

    run = tf.function(chosen, autograph=False) if graph else chosen
    x = tf.fill([size], value)
    assert same(run(x, tf.constant(value > 0)), (2 if value > 0 else 1) * x)
    assert raised(run, x[:1], x[:1] > 0) is None  # a vector of one element
    error = raised(run, x, x > 0)
    shown = trace("wrong/cond.py")[-1].text
    assert "[-1.0, 0.0, 1.0]" in source("wrong/cond.py") and len([-1.0, 0.0, 1.0]) == 3
    if graph:
        assert isinstance(error, tf.errors.InvalidArgumentError)
    else:
        assert isinstance(error, ValueError) and str(error) in shown
    signs = tf.constant([-1.0, 1.0])
    where = tf.function(plain, autograph=False) if graph else plain
    assert same(where(signs), [-1, 2])


@says(
    "`tf.where` computes both branches, and …",
    "`tf.where` computes both branches for every element.",
    "If the branch …",
    "In the backward …",
    "In the next program, the …",
    "It is infinite …",
    "The forward values …",
    "Deliberately wrong: NaN …",
)
@over(mode=MODES)
def test_the_branch_not_taken(mode):
    asked = []

    @tf.custom_gradient
    def log1p(x):
        def grad(upstream):
            asked.append(upstream)
            return upstream / (1 + x)

        return tf.math.log(1 + x), grad

    x = tf.constant([-1.0, 0.0, 1.0])
    found = mode.gradient(lambda x: tf.where(x > 0, log1p(x), x), x)
    assert same(found, [np.nan, 1, 0.5]) and len(asked) == 1
    if mode in (EAGER, PERSISTENT):
        assert same(asked[0], [0, 0, 1])
    y, gradient = trace("wrong/where_nan.py")
    assert "nan" not in y.text and y["y"][0] == -1 and "nan" in gradient.text


@says(
    "The fix uses …",
    "The fix is a …",
    "The inner `tf.where` …",
    "The gradient at −1 …",
    "The double where: …",
)
@over(mode=MODES, x=numbers(-1e30, 1e30, around=[-1, 0]))
def test_the_double_where(mode, x):
    def line_then_log(x):
        safe = tf.where(x > 0.0, x, 0.0)
        return tf.where(x > 0.0, tf.math.log(1.0 + safe), x)

    expected = np.float32(1) / (np.float32(1) + np.float32(x)) if x > 0 else 1
    assert same(mode.gradient(line_then_log, x), expected, 1e-6)
    assert same(mode.gradient(line_then_log, -1.0), 1)
    assert source("double_where.py").count("tf.where(") == 2


@says(
    r"Derive: the slope of relu at 0.",
    r"$\operatorname{relu}(x) = \max(x, 0)$ has …",
    "For all $x$, …",
)
@over(x=numbers(), s=numbers(0, 1))
def test_relu_and_its_mirror(x, s):
    assert max(x, 0) - max(-x, 0) == x and s * x <= max(x, 0)


@says(
    r"With $\operatorname{sign}(0) = 0$ …",
    "By the chain …",
    "But the gradient …",
    "Solution: the slope …",
    "`tf.abs` picks 0, …",
    "Each of these …",
    "But with `tf.nn.relu`, …",
)
def test_the_solution():
    lines = trace("solution.py")
    rule, *others = [line.numbers[-3:] for line in lines[1:6]]
    assert rule == [0, 0.5, 1] and all(0 <= other[1] <= 1 for other in others[:3])
    assert lines[5].text.startswith("tf.abs") and others[-1] == [-1, 0, 1]
    assert lines[-2].numbers == [1, 1, 1] and lines[-1].numbers == [1, 0, 1]
    for a in (0.0, 0.5, 1.0, 5.0):  # the value is x for each of them
        relu = tf.custom_gradient(
            lambda x, a=a: (tf.maximum(x, 0.0), lambda u: u * tf.where(x == 0, a, 1.0))
        )
        difference = lambda x, relu=relu: relu(x) - relu(-x)  # noqa: E731
        assert difference(tf.constant(0.0)) == 0
        assert EAGER.gradient(difference, 0.0) == 2 * a


@says(
    "`tf.nn.relu` picks 0.",
    "If both arguments …",
    "TensorFlow has several conventions.",
    "TensorFlow's own functions …",
)
@over(mode=EVERYWHERE, dtype=FLOATS)
def test_what_tensorflow_picks(mode, dtype):
    def total(x, y, a, b, c, d, e):
        return (
            tf.nn.relu(x)
            + tf.abs(y)
            + tf.maximum(a, b)
            + tf.maximum(c, d)
            + (tf.maximum(e, tf.cast(0.0, dtype)))
        )

    at = [tf.cast(each, dtype) for each in (0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 0.0)]
    relu, magnitude, a, b, c, d, e = mode.gradients(total, *at)
    assert same(relu, 0.0) and same(magnitude, 0.0)
    assert same([a, b, c, d], [1.0, 0.0, 1.0, 0.0]) and same(e, 1.0)


@says(
    "Predict: a weighted …",
    "Let `y = …",
    "The gradient is $(5, …",
    "Both upstream gradients …",
    "The local derivative …",
)
@over(mode=MODES)
def test_a_weighted_loss(mode):
    x, weights = tf.constant([0.0, 3.0]), tf.constant([5.0, 5.0])
    found = mode.gradient(lambda x: tf.reduce_sum(weights * bend(x)), x)
    assert same(found, [5, 10])
    assert same(mode.gradient(bend, x), [1, 2])


@says(
    "Predict: a different condition.",
    "Only the gradient …",
    "The new gradient …",
    "But it differs …",
)
@over(mode=MODES)
def test_the_other_condition(mode):
    @tf.custom_gradient
    def other(x):
        return plain(x), lambda upstream: upstream * tf.where(x >= 0, 2.0, 1.0)

    x = tf.constant([-1.0, 0.0, 1.0])
    assert same(mode.gradient(bend, x), [1, 1, 2])
    assert same(mode.gradient(other, x), [1, 2, 2])
    assert same(mode.gradient(plain, x), [1, 1, 2])
    assert all(2 * each <= f(each) for each in (-1e30, -1.0, 0.0, 1e-30, 1.0))


@says(
    "The picture shows the …",
    "The upper panel is …",
    "At the kink, the central …",
    "At $x = 0.01$, all …",
    "The three lines of …",
    "Two panels over the …",
    "At the kink, three …",
    "At x = 0.01 the …",
    "The lines central and …",
    "For smaller steps, …",
    "Finite differences as the …",
)
def test_the_figure():
    axes = drawn("figure.py")[0].axes
    assert len(axes) == 2 and axes[0].get_xlim()[0] > axes[0].get_xlim()[1]
    f = lambda x: np.where(x > 0, 2 * x, x)  # noqa: E731
    for x, plot in zip((0, 0.01), axes):
        right, central, left = (np.array(line.get_ydata()) for line in plot.lines)
        h = np.array(plot.lines[0].get_xdata())
        one_sided = [right, left]
        assert len(plot.lines) == 1 + len(one_sided) == 3 and np.all(np.diff(h) < 0)
        assert same(h[[0, -1]], [1, 0.00001], 1e-12)
        assert same(right, (f(x + h) - f(x)) / h, 1e-9)
        assert same(left, (f(x) - f(x - h)) / h, 1e-9)
        assert same(central, (right + left) / 2, 1e-9)
        if x == 0:
            assert all(same(round(each, 9), 1.5) for each in central)
            assert same(right, 2 * np.ones(41), 1e-9)
            assert same(left, np.ones(41), 1e-9)
        else:
            near = h < 0.01
            assert x == 0.01 and np.count_nonzero(np.diff(near)) == 1  # once
            assert all(np.allclose(each[near], 2) for each in (right, central, left))
            assert not any(
                np.isclose(each, 2).any() for each in (central[h > x], left[h > x])
            )
    first = source("figure.live").split("\n")[0]
    for x in map(float, first.removeprefix("distance = ").split(", ")):
        right, left = (f(x + h) - f(x)) / h, (f(x) - f(x - h)) / h
        lines = [right, (right + left) / 2, left]
        meet = np.ptp(lines, axis=0) < 1e-9
        assert len(lines) == 3 and same(meet, h < x * (1 + 1e-9))


@says("If the branch that isn't …")
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_the_root_in_a_branch(mode):
    """Why it only can be NaN: TensorFlow's gradient of a root is 0 for upstream 0."""
    root = lambda x: tf.where(x > 5.0, tf.sqrt(x), x)  # noqa: E731
    log = lambda x: tf.where(x > 5.0, tf.math.log(x), x)  # noqa: E731
    assert same(mode.gradient(root, 0.0), np.nan if mode is XLA else 1.0)
    assert same(mode.gradient(log, 0.0), np.nan)


definition(
    "At a kink …",
    "So the slope …",
    r"Write $f(t) = \max(t, 2t)$ …",
    "In the code, …",
    "The factor in …",
    r"Here $\local{c} = 1$, …",
)
advice(
    "Use the button …",
    "Write the gradient of the difference …",
    "You need to …",
    "You also need …",
    "Check a gradient …",
    "At the kink, use …",
    "Choose $a$ so …",
    "Look at the middle element, …",
    "Look at the middle element:",
    "Make two quick …",
    "Write the gradient function, …",
    "Suppose `grad` uses …",
)
pointer("After this lesson …", "The program prints …")
