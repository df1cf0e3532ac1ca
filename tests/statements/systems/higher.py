"""What the page on second and higher order says in words."""

import functools
import gc
import weakref
from unittest import mock

from truth.statements.tries import *

FEW = [EAGER, INSIDE, AROUND, NESTED]
TWO = [EAGER, AROUND]
POINTS = np.float64([0.5, 1.0, 1.7, 3.0])


def loss(function):
    return lambda x: 0.5 * (function(x) - 5000.0) ** 2


def second_of_loss(x):
    return 6 * x * (x**3 - 5000) + 9 * x**4


def hushed(function):
    def run(*given):
        with mock.patch.object(tf, "print", lambda *_: None):
            return function(*given)

    return run


# The two terms.


@says(
    "The local derivative is …",
    "After this page …",
    "The second derivative has …",
    "In a run …",
    "If the local derivative comes …",
    "In this program, …",
    "The first derivative of …",
    "The result has …",
    "Only the second term, …",
    "Deliberately wrong: NumPy …",
)
@over(mode=[EAGER, AROUND, SYMBOLIC], x=[10.0, 2.0])
def test_a_number(mode, x):
    defined = program("wrong/number.py")
    wrong, right = (
        mode.gradient(functools.partial(defined.gradient, each), x)
        for each in (defined.cube, defined.plain)
    )
    assert same(mode.gradient(loss(defined.cube), x), 3 * x**2 * (x**3 - 5000), 1e-6)
    assert same(wrong, (3 * x**2) ** 2, 1e-6)
    assert same(right, second_of_loss(x), 1e-5)
    cube, plain = trace("wrong/number.py")
    assert cube["first"] == plain["first"]
    assert cube["second"] == 90000 and plain["second"] == -150000
    assert plain["second"] == second_of_loss(10)


@says(
    "The fix is …",
    "If you need …",
)
@over(mode=TWO)
def test_the_cure(mode):
    def outside(x):
        y = tf.numpy_function(lambda x: 1 / x, [x], x.dtype)
        y.set_shape(x.shape)
        return y, lambda upstream: -upstream * itself(x) ** 2

    itself = tf.custom_gradient(outside)
    assert same(mode.gradient(derivative(itself), 2.0), 0.25)
    cube = program("check.py").cube
    assert same(mode.gradient(derivative(loss(cube)), 10.0), -150000.0)


@says(
    "Let $z$ be …",
    "The first tape runs …",
    "So `grad` is …",
    "It has two …",
    "The inputs $x$ …",
    "The local derivative $3 …",
    "The upstream gradient changes …",
    "This time, the …",
    "It must return …",
    "The next program writes …",
    "The gradient function of the …",
)
@over(mode=TWO)
def test_the_rule_as_a_map(mode):
    defined = program("second.py")
    rule, x = hushed(defined.cube_gradient), np.float64([1.7, 1])
    u = np.float64([-5, 2])
    assert same(rule(tf.constant(x), tf.constant(u)), 3 * x**2 * u, 1e-9)
    found = mode.gradients(rule, x, u, loss=LOSSES["dense"])
    upstream = np.array([1.0, 2.0])
    assert same(found, [upstream * 6 * x * u, upstream * 3 * x**2], 1e-9)
    cube = hushed(defined.cube)
    slope = mode.gradient(hushed(derivative(cube, lambda y: y * u[0])), x)
    assert same(slope, u[0] * 6 * x, 1e-9)


@says(
    "The backward pass …",
    "So the backward …",
    "The loss $L$ …",
    "Let $g$ be …",
    "The derivative of $g$ …",
    "The first term is …",
    "The second term …",
    "If you replace …",
)
@over(mode=TWO)
def test_two_terms(mode):
    x = POINTS
    cube = hushed(program("second.py").cube)
    found = mode.gradient(hushed(derivative(loss(cube))), x)
    upstream, curvature = x**3 - 5000, 6 * x
    assert same(found, upstream * curvature + (3 * x**2) ** 2, 1e-9)
    line = mode.gradient(derivative(loss(lambda x: 3.0 * x)), x)
    assert same(line, 3.0**2 + 0 * x, 1e-9)
    bent = mode.gradient(derivative(lambda x: 3.0 * x + 0.0 * x * x), x)
    assert same(bent, 0 * x)  # a factor of the first term
    of_cube = derivative(lambda y: 0.5 * (y - 5000.0) ** 2)
    assert same(mode.gradient(of_cube, x**3), 1 + 0 * x, 1e-9)
    sevenfold = mode.gradient(hushed(derivative(lambda x: 7 * loss(cube)(x))), x)
    assert same(sevenfold, 7 * upstream * curvature + 7 * (3 * x**2) ** 2, 1e-9)


@says(
    "The trace has …",
    "This call returns …",
    "The tape adds both …",
    "Each call of …",
    "A line that …",
    "Notice that there …",
    "The first tape calls …",
    "The second tape calls …",
    "With respect to $x$, …",
    "With respect to $u$, …",
    "The tape backpropagates …",
)
def test_the_trace():
    first, slope, of_rule, again, second = trace("second.py")
    assert first["upstream"] == 10**3 - 5000 and slope.numbers == [-1200000]
    assert of_rule.text.startswith("gradient of grad") and of_rule["upstream"] == 1
    lines = [each.text for each in trace("second.py")]
    assert len([each for each in lines if each.startswith("grad ")]) == 2
    assert of_rule["downstream_x"] == 6 * 10 * -4000
    assert of_rule["downstream_u"] == again["upstream"] == again["local"] == 300
    assert again["downstream"] == 300 * 300 == 90000
    assert second.numbers == [-240000 + 90000]


@says(
    "Compute the local …",
    "A second tape then …",
    "You seldom have …",
    "If `grad` consists …",
)
@over(mode=MODES)
def test_by_operations(mode):
    assert "return upstream * 3.0 * x ** 2.0" in source("tapes.py")
    cube = program("tapes.py").cube
    found = mode.gradient(derivative(loss(cube)), POINTS)
    assert same(found, second_of_loss(POINTS), 1e-9)


# What a closure keeps.

KEPT = ["the_input", "the_output", "the_exponential", "the_sigmoid", "a_constant"]


@says(
    "The second derivative of `a_constant` …",
    "`grad` can capture …",
    "You can write the local derivative with any …",
    "The next program tries …",
    "Two of its …",
    "All five functions …",
    "The first derivatives …",
    "So if `grad` captures …",
    "What `grad` captures …",
    "a constant, from …",
    "Second derivatives of …",
    "If the local derivative comes …",
)
@over(mode=TWO, kept=KEPT)
def test_kept(mode, kept):
    rule, x = getattr(program("kept.py"), kept), np.linspace(-5, 5, 7)
    s = 1 / (1 + np.exp(-x))
    assert same(rule(tf.constant(x)), np.log1p(np.exp(x)), 1e-9)
    assert same(mode.gradient(rule, x), s, 1e-6)
    found = mode.gradient(derivative(rule), x)
    assert same(found, None if kept == "a_constant" else s * (1 - s), 1e-6)
    square = mode.gradient(derivative(lambda x: 0.5 * rule(x) ** 2), x)
    lost = kept == "a_constant"
    both = s * s + np.log1p(np.exp(x)) * s * (1 - s)
    assert same(square, s * s if lost else both, 1e-6)


@says(
    "With both tapes …",
    "In a branch …",
    "In eager mode, the second …",
    "To fix the …",
)
def test_kept_in_other_places():
    defined, x = program("kept.py"), np.linspace(-2, 2, 3)
    s = 1 / (1 + np.exp(-x))
    for mode in OUTSIDE:
        assert same(mode.derivative(defined.a_constant, x), 0 * x)

    @tf.custom_gradient
    def copied(x):
        x = tf.identity(x)
        return tf.nn.softplus(x), lambda upstream: upstream * tf.sigmoid(x)

    def branch(function):
        return lambda x: tf.cond(tf.size(x) > 0, lambda: function(x), lambda: x)

    eagerly = EAGER.derivative(branch(defined.the_input), x)
    assert same(eagerly, s * (1 - s), 1e-6)
    for mode in INSIDE, AROUND, NESTED:
        said = message(mode.derivative, branch(defined.the_input), x)
        assert "AssertionError" in said
        assert same(mode.derivative(branch(copied), x), s * (1 - s), 1e-6)


@says(
    "`the_output` is right, …",
    "The reason is that a …",
    "the output of …",
    "an intermediate result …",
    "The second tape uses …",
    "On this path, …",
)
@over(mode=TWO)
def test_the_output_inside(mode):
    inner, x = [], np.linspace(-3, 3, 7)

    @tf.custom_gradient
    def forward_pass(x):
        return tf.exp(x), lambda u: inner.append(u) or 7.0 * u * tf.exp(x)

    @tf.custom_gradient
    def rule(x):
        y = forward_pass(x)
        return y, lambda upstream: upstream * y  # its own rule: y

    e = np.exp(x)
    assert same(mode.gradient(rule, x), e, 1e-9)
    assert same(mode.gradient(derivative(rule), x), 7 * e, 1e-9) and inner
    s = 1 / (1 + e)
    found = mode.gradient(derivative(program("kept.py").the_output), x)
    assert same(found, s * (1 - s), 1e-6)


@says(
    "So a tape …",
    "nothing: it calls …",
    "The exercise shows …",
    "Write a gradient …",
    "You can write the local derivative with $y$ alone:",
    "`grad` gets $y$ …",
    "The reciprocal: grad …",
)
@over(mode=TWO, order=[1, 2, 3, 4])
def test_calls_itself(mode, order):
    function = program("solution.py").reciprocal
    right, x = -1 / POINTS**2, POINTS
    for n in range(1, order):
        function, right = derivative(function), -(n + 1) * right / x
    assert same(mode.gradient(function, x), right, 1e-9)
    reciprocal = program("solution.py").reciprocal
    if order < 4:
        assert same(mode.derivative(reciprocal, x, order), right, 1e-9)


@says(
    "The derivatives are …",
    "All four derivatives …",
    "The program prints each …",
)
def test_the_solution():
    lines = trace("solution.py")
    assert [each["eager"] for each in lines] == [-0.25, 0.25, -0.375, 0.75]
    assert len(lines) == 4
    assert all(each["eager"] == each["tf.function"] == each["plain"] for each in lines)


@says(
    "the input — …",
)
@over(kept=["the_input", "the_output", "the_sigmoid"])
def test_cost(kept):
    made, name = [], "softplus" if kept == "the_output" else "sigmoid"
    place = tf.nn if kept == "the_output" else tf
    function = getattr(place, name)

    def counted(x):
        y = function(x)
        made.append(weakref.ref(y))
        return y

    rule, x = getattr(program("kept.py"), kept), tf.constant(1.0)
    with mock.patch.object(place, name, counted):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = rule(x)
        before = len(made)
        alive = [each() is not None for each in made]
        tape.gradient(y, x)
    assert before == (kept != "the_input") and all(alive)
    assert len(made) == 1
    del tape, y
    gc.collect()
    assert made[0]() is None


@says(
    "For `the_input` and `the_sigmoid`, …",
    "The right value …",
    "`the_exponential` has the …",
    "The gradient function of `tf.sigmoid` …",
    "The reason is that in float32 …",
)
@over(mode=TWO)
def test_far_out(mode):
    defined, x = program("kept.py"), np.float32([30, 100])
    for name in ("the_input", "the_sigmoid"):
        found = mode.gradient(derivative(getattr(defined, name)), x).numpy()
        assert found[0] == 0
    assert tf.sigmoid(30.0) == 1 and np.isinf(tf.exp(100.0))
    assert 1 - tf.sigmoid(30.0) == 0
    with np.errstate(all="raise"):
        e = np.exp(np.float64(-30))
        assert same(e / (1 + e) ** 2, np.exp(-30.0), 1e-9)  # the right value
    found = mode.gradient(derivative(defined.the_output), x).numpy()
    assert same(found[0], np.exp(-30.0), 1e-5)
    found = mode.gradient(derivative(defined.the_exponential), x).numpy()
    assert np.isnan(found[1]) and same(found[0], np.exp(-30.0), 1e-5)
    assert same(mode.gradient(defined.the_exponential, x), [1.0, 1.0])


# Nestings.


@says(
    "Both versions give …",
    "With the copies, …",
)
@over(mode=[EAGER, XLA, AROUND, AROUND_XLA, *BLOCKS, *UNKNOWN[1::2]])
def test_in_every_place(mode):
    defined = program("nested.py")
    x = np.concatenate([POINTS, POINTS])
    by_both = np.repeat([1.0, 0.0], len(POINTS))  # each version has its own points

    def cubes(x):
        return by_both * defined.cube_by_both(x) + (1 - by_both) * defined.cube_by_x(x)

    if mode in (EAGER, XLA, AROUND, AROUND_XLA):
        assert same(mode.gradient(cubes, x), 3 * x**2, 1e-9)
    assert same(mode.derivative(cubes, x), 6 * x, 1e-9)
    if mode in (EAGER, XLA, AROUND, AROUND_XLA, *BLOCKS[:5], *BLOCKS[7:9]):
        assert same(mode.derivative(cubes, x, 3), 6 + 0 * x, 1e-9)


@says(
    "Two nestings that …",
    "The function `of_both` …",
    "The function `of_x` …",
    "If the local derivative needs …",
    "Write `x = …",
    "If the local derivative also …",
    "There are two …",
    "Its gradient function …",
    "Each decorated function …",
    "Without these copies, …",
)
@over(mode=TWO, name=["cube_by_both", "cube_by_x"])
def test_nestings(mode, name):
    defined, x = program("nested.py"), POINTS
    cube = getattr(defined, name)
    assert same(mode.gradient(derivative(cube), x), 6 * x, 1e-9)
    assert same(mode.derivative(cube, x), 6 * x, 1e-9)
    assert same(mode.derivative(cube, x, 3), 6 + 0 * x, 1e-9)
    assert same(mode.derivative(loss(cube), x), second_of_loss(x), 1e-9)

    @tf.custom_gradient
    def without(x):
        return 3 * x**2, lambda upstream: upstream * 6 * x

    bare = tf.custom_gradient(lambda x: (x**3, lambda u: u * without(x)))
    assert ("TypeError" in message(mode.derivative, bare, x)) == (mode is AROUND)
    assert same(mode.gradient(derivative(loss(cube)), x), second_of_loss(x), 1e-9)
    assert same(mode.gradient(derivative(derivative(cube)), x), 6 + 0 * x, 1e-9)
    both = mode.gradients(defined.of_both, x, POINTS + 1)
    assert same(both, [6 * x * (x + 1), 3 * x**2], 1e-9)
    assert same(mode.gradient(defined.of_x, x), 6 * x, 1e-9)
    for line in trace("nested.py"):
        assert line.numbers[-3:] == [60, -150000, 6]


@says(
    "Don't decorate `grad` …",
    "Its only input …",
    "The second derivative of a …",
    was="'the second derivative is wrong': eagerly that of the cube is right",
)
@over(mode=[EAGER, INSIDE, AROUND], x=[10.0])
def test_decorated(mode, x):
    @tf.custom_gradient
    def cube(x):
        @tf.custom_gradient
        def grad(upstream):
            def grad_of_grad(upstream_2):
                return upstream_2 * upstream * 6.0 * x

            return upstream * 3.0 * x**2, grad_of_grad

        return x**3, grad

    assert same(mode.gradient(cube, x), 3 * x**2, 1e-6)
    alone = mode.gradient(derivative(cube), x)
    assert same(alone, 6 * x if mode is EAGER else None)
    assert raised(mode.gradient, derivative(loss(cube)), x) is None
    wrong = mode.gradient(derivative(loss(cube)), x)
    assert wrong is not None and not same(wrong, second_of_loss(x), 0.01)


# Tapes.

WAYS = {
    "tape over tape": (True, True),
    "forward over tape": (False, True),
    "tape over forward": (True, False),
}


def taken(function, by_tape):
    if by_tape:
        return derivative(function)
    return lambda x: FORWARDS[0].jvp(function, x)


@says(
    "One persistent tape …",
    "To differentiate a …",
    "The next program compares …",
    "Two of them …",
    "In the output, …",
    "All methods agree, …",
    "Four methods for …",
)
@over(way=WAYS)
def test_ways(way):
    outer, inner = way
    defined, x = program("tapes.py"), tf.constant(POINTS)
    found = taken(taken(defined.loss, inner), outer)(x)
    assert same(found, second_of_loss(POINTS), 1e-9)
    lines = [each for each in trace("tapes.py") if "second" in each]
    assert len(defined.methods) == 4
    assert len([name for name in defined.methods if "forward" in name]) == 2
    assert "tf.autodiff.ForwardAccumulator" in source("tapes.py")
    assert len(lines) == 8 and {each["second"] for each in lines} == {-150000.0}
    assert {each["calls"] for each in lines} == {2.0}
    assert same(defined.one_tape(x), found, 1e-9)
    assert "less efficient" in trace("tapes.py").line("WARNING").text
    with tf.GradientTape() as outside:
        outside.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = defined.loss(x)
    assert outside.gradient(tape.gradient(y, x), x) is None


@says(
    "In eager mode, this …",
    "Be careful with `tape …",
    "If an outer …",
)
def test_tape_over_forward_around():
    loss_in_graph = tf.function(program("tapes.py").loss, autograph=False)
    x = tf.constant(2.0)
    slope = taken(loss_in_graph, False)
    assert same(slope(x), 12.0 * (8 - 5000), 1e-6)
    assert "too few gradients" in message(taken(slope, True), x)
    cubes = tf.function(lambda x: x * x * x)
    product = INSIDE.gradient(lambda x: FORWARDS[0].jvp(cubes, x) * x, 0.7)
    assert same(product, 3 * 0.7**2, 1e-5)  # 9 x² is right


@says(
    "The methods also …",
)
def test_ways_of_a_decision():
    tenth = tf.custom_gradient(lambda x: (tf.identity(x), lambda u: 0.1 * u))
    x = tf.constant(1.0)
    found = {
        float(taken(taken(lambda x: tenth(x) ** 2, inner), outer)(x))
        for outer, inner in WAYS.values()
    }
    assert len(found) > 1


# Products.


@says(
    "But algorithms such …",
    "`reverse_over_reverse` differentiates the …",
    "`forward_over_reverse` carries $v$ …",
    "A Hessian times …",
    "A product $H …",
    "A function of …",
    "This product is …",
    "In the example, …",
    "The loss is …",
    "The gradient and …",
    "The sum in …",
    "The first term contains …",
    "To multiply by $v$, …",
    "Then you never …",
    "All three methods …",
    "The argument `output_gradients=v` …",
    "`differences` needs no …",
    "It computes the …",
)
@over(
    x=arrays((2,), st.floats(-2, 2, width=32)),
    v=arrays((2,), st.floats(-2, 2, width=32)),
    graph=[False, True],
    cases=4,
)
def test_products(x, v, graph):
    assert 1000 * 1000 == 1_000_000
    defined = program("products.py")
    x, v = tf.constant(x, tf.float64), tf.constant(v, tf.float64)
    W, t = defined.W.numpy(), defined.t.numpy()
    s = W @ x.numpy()
    D = 6 * s * (s**3 - t) + 9 * s**4
    right = W.T @ (D * (W @ v.numpy()))
    assert np.allclose(defined.gradient(x), W.T @ (3 * s**2 * (s**3 - t)))
    for name in ("reverse_over_reverse", "forward_over_reverse"):
        run = getattr(defined, name)
        run = tf.function(run, autograph=False) if graph else run
        assert np.allclose(run(x, v), right)
    assert np.allclose(tf.linalg.matvec(defined.hessian(x), v), right)
    assert np.allclose(defined.differences(x, v), right, 1e-4, 1e-4)
    with tf.GradientTape() as tape:
        tape.watch(x)
        pairing = tf.tensordot(defined.gradient(x), v, 1)
    assert np.allclose(tape.gradient(pairing, x), right)
    calls = []
    with mock.patch.dict(
        defined.differences.__globals__,
        gradient=lambda x: calls.append(x) or defined.gradient(x),
    ):
        defined.differences(x, v)
    assert len(calls) == 2


@says(
    "The Gauss-Newton product: …",
    "If you drop …",
    "With the Jacobian …",
    "The matrix $G$ …",
    "To compute the product …",
    "Forward mode returns …",
    "Then a backward …",
    "The next program computes …",
)
@over(
    x=arrays((2,), st.floats(-2, 2, width=32)),
    v=arrays((2,), st.floats(-2, 2, width=32)),
    cases=6,
)
def test_gauss_newton(x, v):
    defined = program("gauss_newton.py")
    x, v = tf.constant(x, tf.float64), tf.constant(v, tf.float64)
    W = defined.W.numpy()
    s = W @ x.numpy()
    G = W.T @ np.diag(9 * s**4) @ W
    dy, Gv = defined.product(x, v)
    assert np.allclose(dy, 3 * s**2 * (W @ v.numpy())) and np.allclose(
        Gv, G @ v.numpy()
    )
    J = np.diag(3 * s**2) @ W
    assert np.allclose(J.T @ J, G) and np.all(np.linalg.eigvalsh(G) > -1e-6)
    assert np.allclose(defined.matrices(x, tf.zeros(3, tf.float64))[0], G)


@says(
    "In the line `far`, …",
    "In the line `fitted`, …",
)
def test_far_and_fitted():
    far, fitted = trace("gauss_newton.py").starting("far", "fitted")
    assert min(far["eigenvalues of H"]) < 0 < min(fitted["eigenvalues of H"])
    assert far["G v"] != far["H v"] and fitted["G v"] == fitted["H v"]


# The check, and the refusal.


@says(
    "A test of …",
    "If the loss …",
    "The check compares …",
    "All errors are …",
    "The finite differences also …",
    "So if `grad` returns …",
    "Second derivatives against …",
)
@over(graph=[False, True])
def test_the_check(graph):
    defined = program("check.py")
    square, sums = defined.losses["square"], defined.losses["sum"]
    x, v = (tf.constant(each, tf.float64) for each in ([1.3, -0.7], [1.0, 2.0]))

    def passes(function, loss):
        second = functools.partial(defined.second, function, loss)
        found = (tf.function(second, autograph=False) if graph else second)(x, v)
        right = defined.differences(function, loss, x, v)
        return found is not None and np.allclose(found, right, 1e-6)

    cube = defined.cube
    tenfold = tf.custom_gradient(lambda x: (x**2, lambda u: u * x**3))
    by_upstream = tf.custom_gradient(  # not the slope of the rule by upstream
        lambda u, x: (u * x**2, lambda w: (7.0 * w * x**2, w * u * 2.0 * x))
    )
    one_term = tf.custom_gradient(lambda x: (x**3, lambda u: 3.0 * by_upstream(u, x)))
    for loss in (square, sums):
        assert passes(cube, loss) and (loss is square or passes(tenfold, loss))
    assert passes(one_term, sums) and not passes(one_term, square)
    assert all(each.text.endswith("True") for each in trace("check.py"))


@says(
    "In the next program, …",
    "This operation returns …",
    "The first derivative is unchanged, …",
    "Only the first derivative is allowed: …",
)
@over(mode=FEW)
def test_refuse(mode):
    cube = program("refuse.py").cube
    assert same(mode.gradient(cube, 10.0), 300.0)
    assert same(mode.gradient(loss(cube), 10.0), -1200000.0)
    for function in (derivative(cube), derivative(loss(cube))):
        assert "Gradient explicitly disabled" in message(mode.gradient, function, 10.0)


@says(
    "If both tapes are outside a …",
)
@over(mode=[EAGER, AROUND])
def test_two_tapes_open(mode):
    cube = mode._inner(program("refuse.py").cube)
    x = tf.constant(10.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        if mode is AROUND:
            assert "explicitly disabled" in message(derivative(cube), x)
        else:
            assert same(derivative(cube)(x), 300.0)


@says(
    "`once` also takes …",
    "Otherwise nothing would …",
)
def test_without_x():
    def refusing(x):
        def grad(upstream):
            local = tf.numpy_function(lambda x: 3 * x**2, [x], x.dtype)
            return tf.raw_ops.PreventGradient(input=upstream * local, message="")

        return x**3.0, grad

    without = tf.custom_gradient(refusing)
    assert EAGER.gradient(derivative(without), 10.0) is None
    assert raised(EAGER.gradient, derivative(loss(without)), 10.0) is not None


@says(
    "`tf.stack` accepts only …",
    "If the shapes …",
)
@over(mode=TWO)
def test_other_shapes(mode):
    def flat(x):
        return tf.reshape(x, [-1])

    @tf.custom_gradient
    def total(x):
        def grad(upstream):
            downstream = tf.broadcast_to(upstream[:, tf.newaxis], x.shape)[0]
            both = tf.raw_ops.PreventGradient(
                input=tf.concat([flat(downstream), flat(x)], 0), message=""
            )
            return tf.broadcast_to(both[:3], [2, 3])

        return tf.reduce_sum(x, 1), grad

    x = np.ones((2, 3), np.float32)
    assert same(mode.gradient(total, x), x)
    assert raised(mode.gradient, derivative(total), x) is not None
    assert raised(tf.stack, [tf.ones(2), tf.ones(3)]) is not None


@says(
    "Forward mode also …",
)
@over(forward=[each for each in FORWARDS if "XLA" not in each.name])
def test_forward_refused(forward):
    cube = program("refuse.py").cube
    assert "Gradient explicitly disabled" in message(forward.jvp, cube, 10.0)


@says(
    "The picture shows both …",
    "The left path comes …",
    "Four boxes from top …",
    "An arrow on the …",
    "On the right, 300 …",
    "The two paths from …",
)
@over(mode=MODES)
def test_the_paths(mode):
    [plot] = drawn("paths.py")[0].axes
    shown = [each.get_text().replace("−", "-") for each in plot.texts]
    drawn_ = [float(text) for text in shown if text.lstrip("-").isdigit()]
    assert drawn_ == [-240000, 300, 300, 90000] and len(plot.patches) == 4
    assert "-240000 + 90000 = -150000" in shown and "g = 3x²u" in shown
    assert "u = x³ - 5000" in shown
    u = 10.0**3 - 5000.0
    assert 10.0**3 - u == 5000
    left = mode.gradient(lambda x: 3.0 * x**2 * u, 10.0)
    right = mode.gradient(lambda x: 3.0 * 10.0**2 * (x**3 - 5000.0), 10.0)
    assert same(left, -240000.0, 1e-6) and same(right, 90000.0, 1e-6)
    assert len([left, right]) == 2
    both = mode.derivative(lambda x: 0.5 * (x**3 - 5000.0) ** 2, 10.0, order=2)
    assert same(both, left + right, 1e-5) and same(both, -150000.0, 1e-5)
    at_u = mode.gradient(lambda u: 3.0 * 10.0**2 * u, u)
    assert same(at_u, 300.0, 1e-6)  # and of u with respect to the cube it is 1
    lines = [line.numbers for line in trace("paths.py")]
    assert lines == [[-240000], [300, 300, 90000], [-150000]]


@says("`tf.nn.silu` is an …", "The second derivative raises an …")
@over(mode=[EAGER, INSIDE, AROUND, NESTED])
def test_an_operation_with_a_custom_gradient(mode):
    def by(silu):
        return tf.custom_gradient(
            lambda x: (tf.identity(x), lambda upstream: upstream * silu(x))
        )

    x = 2.0
    right = mode.derivative(by(lambda x: x * tf.sigmoid(x)), x, 2)
    assert same(right, 1.0908, 1e-4)
    found = raised(mode.derivative, by(tf.nn.silu), x, 2)
    assert (found is not None) == (mode in (AROUND, NESTED))


@says("If both tapes are outside `tf.vectorized_map`, …")
def test_refused_in_a_map():
    cube = program("refuse.py").cube
    mapped = lambda x: tf.vectorized_map(cube, x)  # noqa: E731
    x = tf.constant([1.0, 2.0])
    assert same(derivative(derivative(mapped))(x), [6.0, 12.0])


def _cube(x):
    x = tf.identity(x)
    return x**3, lambda upstream: upstream * 3.0 * x**2


@says("Branches and loops that …")
@over(block=["branch", "loop"])
def test_compiled_blocks(block):
    @tf.function(jit_compile=True)
    def compiled(x):
        cube = tf.custom_gradient(_cube)
        if block == "branch":
            return tf.cond(x > 0.0, lambda: cube(x), lambda: x)
        return tf.while_loop(
            lambda i, y: i < 1,
            lambda i, y: (i + 1, cube(y)),
            (0, x),
            maximum_iterations=1,
        )[1]

    assert raised(derivative(derivative(compiled)), tf.constant(2.0)) is not None


advice(
    "You need the …",
    "Prefer `of_x`.",
    "Predict the first …",
    "If only the first derivative of …",
    "Write the second …",
    "Look at `second`:",
    "Compare `cube_by_both` with …",
    "Use `of_both` if …",
    "Keep the copies.",
    "The `grad` of …",
    "The example on …",
    "So also use …",
    "That is why …",
    "If only the first derivative is …",
    "Look at the lines `curvature` …",
    "Compare each product …",
)
pointer(
    "The catalogue of mistakes has …",
    "The page on …",
    "The docstring of …",
    "The table lists …",
    "Some details matter:",
    "The table shows …",
    "Among them are …",
)
