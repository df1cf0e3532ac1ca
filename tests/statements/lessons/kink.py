"""What the page on the kink says in words."""

import re
from pathlib import Path

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
    "The function below has slope 1 to the left of 0 and slope 2 to the right.",
    r"$x = -1$: the line $x$, so $y = -1$ and $\local{c} = 1$.",
    r"$x = 0$: $y = 0$ from both lines, and $\local{c} = 1$ by our choice.",
    r"$x = 1$: the line $2x$, so $y = 2$ and $\local{c} = 2$.",
    "Upstream is 1 everywhere, so `downstream` equals `local`.",
    "A kink: 2x for x > 0 and x otherwise, with a chosen slope at 0.",
)
def test_the_trace():
    forward, y, backward, gradient = trace("kink.py")
    assert forward["x"] == [-1, 0, 1] and forward["y"] == y["y"] == [-1, 0, 2]
    assert backward["local"] == backward["downstream"] == [1, 1, 2]
    assert backward["upstream"] == [1, 1, 1] and gradient["gradient"] == [1, 1, 2]


@says(
    "On each side of 0 the map is linear, and so the differential is known wherever"
    r" $x_i \ne 0$:",
    r"This rule picks 1, the slope from the left: it completes $\local{c_i}$ with"
    r" $\local{c_i} = 1$ at $x_i = 0$, so that the condition $x_i > 0$ is the same in"
    " both passes.",
)
@over(mode=MODES, dtype=FLOATS, x=numbers(-100, 100, around=[0]))
def test_the_slope_on_each_side(mode, dtype, x):
    x = tf.cast(x, dtype)
    assert same(mode.gradient(bend, x), 2.0 if x > 0 else 1.0)
    assert same(plain(x), 2 * x if x > 0 else x)


@says(
    "A vector in, a vector of the same shape out; element $i$ of $y$ depends on element"
    " $i$ of $x$ only:",
    "Each element of $y$ moves $L$ by its own upstream gradient, and the effects add up:",
    r"In types: `grad :: upstream(y) → downstream(x)`, both of shape $[n]$.",
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
    "At 0 there is none, because the two one-sided derivatives differ.",
    "Away from 0 all four agree.",
    r"At 0 the two sides give $\upstream{-3} \cdot \local{1}$ and"
    r" $\upstream{-3} \cdot \local{2}$, and the rule is the left one, as chosen.",
    r"Inside the loss `0.5 * (y - 3.0)**2` upstream is $\upstream{y - 3}$, that is −4, −3 and −1 at the three points.",
    "The rule stands beside autodiff of the plain `tf.where`, and beside differences"
    " taken from the left and from the right.",
    "The rule against autodiff, and against differences from either side.",
)
def test_the_check():
    head, *rows = trace("check.py")
    assert head.text.split("  ")[-4:] and head.text.index("left") < head.text.index(
        "right"
    )
    by_x = {row.numbers[0]: row.numbers[1:] for row in rows}
    assert by_x == {-1: [-4] * 4, 0: [-3, -3, -3, -6], 1: [-2] * 4}
    assert [y - 3 for y in plain(np.array([-1.0, 0, 1])).numpy()] == [-4, -3, -1]


@says(
    "Autodiff picks the same: it follows the branch that was taken, and `x > 0.0` is"
    " false at 0."
)
@over(mode=MODES, dtype=FLOATS, zero=[0.0, -0.0])
def test_autodiff_at_0(mode, dtype, zero):
    assert same(mode.gradient(plain, tf.cast(zero, dtype)), 1.0)


@says(
    "Here $f$ is convex, and a slope $s$ is called a subgradient at 0 if the line $s t$"
    " nowhere lies above it [Rockafellar, 1970]:",
    "Every value from 1 to 2 would do; any other puts the line above $f$ on one side of"
    " 0.",
)
@over(cases=100, s=numbers(-9, 9, around=[1, 2]), t=numbers(-9, 9), u=numbers(-9, 9))
def test_subgradients(s, t, u):
    assert f((t + u) / 2) <= (f(t) + f(u)) / 2 + 1e-12
    below = all(s * each <= f(each) for each in (-1.0, 1.0, t))
    assert below == (1 <= s <= 2) or (1 <= s <= 2) == (s <= f(1.0) and -s <= f(-1.0))
    if not 1 <= s <= 2:
        assert (s > f(1.0)) != (-s > f(-1.0))  # on one side


@says(
    "A gradient check on the kink.",
    r"Central differences take half from each side,"
    r" $\frac{f(h) - f(-h)}{2h} = \frac{2h + h}{2h} = 1.5$.",
    "That is neither of the two slopes, and smaller steps do not help.",
    "At 0 a gradient check by central differences says 1.5, the rule says 1, and both"
    " ran without a complaint.",
    "Wrong on purpose: central differences across a kink.",
)
@over(h=numbers(1e-37, 1e30))
def test_central_differences(h):
    assert (f(h) - f(-h)) / (2 * h) == 1.5
    _, rule, differences = trace("wrong/gradcheck.py")
    assert rule["rule"] == [1, 1, 2] and differences["differences"] == [1, 1.5, 2]
    assert len(trace("wrong/gradcheck.py")) == 3


@says(
    "`tf.test.compute_gradient` returns whole Jacobians; of an elementwise function the"
    " diagonal holds the slopes."
)
def test_compute_gradient_returns_jacobians():
    for [jacobian] in tf.test.compute_gradient(plain, [tf.constant([-1.0, 1.0, 3.0])]):
        assert same(jacobian, np.diag([1, 2, 2]), 1e-3)


@says(
    "`tf.cond` runs one branch or the other, for the whole tensor.",
    "It needs a single truth value, and a vector holds several.",
    "`tf.cond` with a vector.",
    "Wrong on purpose: tf.cond takes one decision, and x holds three.",
)
@over(graph=[False, True], size=[2, 3], value=[-1.0, 1.0])
def test_cond(graph, size, value):
    def chosen(x, truth):
        return tf.cond(truth, lambda: 2 * x, lambda: x)

    run = tf.function(chosen, autograph=False) if graph else chosen
    x = tf.fill([size], value)
    assert same(run(x, tf.constant(value > 0)), (2 if value > 0 else 1) * x)
    assert raised(run, x, x > 0) is not None


@says(
    "`tf.where` in `kink.py` chooses for each element.",
    "`tf.where` computes both branches for every element.",
    "In the backward pass the branch not taken gets upstream 0, and multiplies it by its"
    " own local derivative.",
    r"Below, that derivative is $\frac{\d}{\d x} \log(1 + x) = \frac{1}{1 + x}$, infinite at $x = -1$, and $0 \cdot \infty$ is NaN.",
    "NaN from the branch not taken.",
    "The forward value shows nothing.",
    "Wrong on purpose: one where, and NaN comes from the branch not taken.",
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
    "The right version uses `tf.where` twice.",
    "The inner one gives the logarithm a harmless input wherever its result is thrown"
    " away:",
    "The double where: the branch not taken gets an input it can bear.",
)
@over(mode=MODES, x=numbers(-1e30, 1e30, around=[-1, 0]))
def test_the_double_where(mode, x):
    def line_then_log(x):
        safe = tf.where(x > 0.0, x, 0.0)
        return tf.where(x > 0.0, tf.math.log(1.0 + safe), x)

    expected = np.float32(1) / (np.float32(1) + np.float32(x)) if x > 0 else 1
    assert same(mode.gradient(line_then_log, x), expected, 1e-6)


@says(
    r"$\operatorname{relu}(x) = \max(x, 0)$ has a kink at 0, and there every slope from 0"
    " to 1 is a subgradient.",
    r"For all $x$, $\operatorname{relu}(x) - \operatorname{relu}(-x) = x$, whose slope"
    " is 1.",
)
@over(x=numbers(), s=numbers(0, 1))
def test_relu_and_its_mirror(x, s):
    assert max(x, 0) - max(-x, 0) == x and s * x <= max(x, 0)


@says(
    "With $\\operatorname{sign}(0) = 0$ one formula covers all three cases:"
    r" $\local{\frac{1}{2}(1 + \operatorname{sign}(x))}$.",
    r"By the chain rule the left side has the gradient"
    r" $\local{a} - \local{a} \cdot (-1) = 2a$ at 0, so $a = \frac{1}{2}$.",
    "Solution: the slope of relu at 0 that keeps relu(x) - relu(-x) = x.",
    "Each is a subgradient; with 0, the identity above loses its gradient at 0.",
)
def test_the_solution():
    lines = trace("solution.py")
    rule, *others = [line.numbers[-3:] for line in lines[1:6]]
    assert rule == [0, 0.5, 1] and all(0 <= other[1] <= 1 for other in others[:3])
    assert lines[-2].numbers == [1, 1, 1] and lines[-1].numbers == [1, 0, 1]


@says(
    "`tf.nn.relu` picks 0, `tf.maximum` gives the whole gradient of a tie to its first"
    " argument, and `tf.abs` picks 0, between its slopes −1 and 1.",
    "TensorFlow has several answers.",
)
@over(mode=MODES, dtype=FLOATS)
def test_what_tensorflow_picks(mode, dtype):
    zero = tf.cast(0.0, dtype)
    assert same(mode.gradient(tf.nn.relu, zero), 0.0)
    assert same(mode.gradient(tf.abs, zero), 0.0)
    assert same(mode.gradients(tf.maximum, zero, zero), [1.0, 0.0])
    assert same(mode.gradients(tf.maximum, zero + 3, zero + 3), [1.0, 0.0])


definition(
    "At a kink the slope is not found; it is chosen.",
    "What remains is a convention.",
    r"Write $f(t) = \max(t, 2t)$ for the map of one element; for $h > 0$,",
    r"In the code, `upstream` is $\upstream{\bar y}$, `local` is $\local{c}$, and"
    r" `downstream` is $\downstream{\bar x}$.",
)
advice(
    "You need the four steps of the chain rule, and from vectors that an elementwise"
    " function has an elementwise rule.",
    "Check a rule away from its kinks, and at the kink from one side, as `check.py` does.",
    "Choose the slope $a$ at 0 such that the gradient of the left side is 1 there too,"
    " write the rule, and compare your choice with those of `tf.nn.relu` and `tf.maximum`.",
)


@says("This page chooses one, says so, and shows three ways in which kinks go wrong.")
def test_three_ways():
    page = Path(__file__).parents[3] / "docs/lessons/kink.md"
    assert len(re.findall('--8<-- "lessons/kink/wrong/.*py"', page.read_text())) == 3
    assert all(same(mode.gradient(bend, 0.0), 1.0) for mode in (EAGER, INSIDE))
