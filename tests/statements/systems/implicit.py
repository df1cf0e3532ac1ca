"""What the page on implicit differentiation says in words."""

import re

from truth.statements.tries import *


def close(one, other, within=1e-6):
    return np.allclose(one, other, within, 1e-9)


def layer(seed, n, norm=0.5):
    """Weights that contract, an input and an upstream gradient."""
    rng = np.random.default_rng(seed)
    W = rng.standard_normal([n, n])
    W *= norm / np.linalg.norm(W, 2)
    return W, *(rng.standard_normal(n) for _ in range(2))


def unrolled(W, x, steps=50, y=None):
    y = tf.zeros_like(x) if y is None else y
    for _ in range(steps):
        y = tf.tanh(tf.linalg.matvec(W, y) + x)
    return y


def by_newton(W, x):
    y = np.zeros(len(x))
    for _ in range(60):
        slope = np.tanh(W @ y + x)
        J = np.eye(len(x)) - (1 - slope * slope)[:, None] * W
        y = y - 0.5 * np.linalg.solve(J, y - slope)
    return y


def second_derivative(function, x):
    return EAGER.gradient(derivative(function), x)


# The layer.


@says(
    "If $A$ has an …",
    "Otherwise the gradient …",
)
def test_no_inverse():
    """One element with W = 1: at y = 0 the bracket is 1, and A is 0."""
    assert same(EAGER.gradient(lambda y: tf.atanh(y) - y, 0.0), 0.0)
    y = 1e-2
    assert y / (np.arctanh(y) - y) > 1e4


@says("For an $x$ …")
def test_begins_to_move():
    p = program("general.py")
    M = tf.constant([[1.0, 1.0], [0.0, 1.0]], tf.float64)
    x, h = tf.constant([1.0, 2.0], tf.float64), tf.constant([1e-4, 0.0], tf.float64)
    y = p.descend(M, x)
    after = (p.descend(M, x + h) - y) / 1e-4
    before = (y - p.descend(M, x - h)) / 1e-4
    assert abs(y[0]) < 1e-6
    assert np.allclose(after, [0.4, 0.2], 0, 1e-3)
    assert np.allclose(before, [0.0, 1 / 3], 0, 1e-3)


@says(
    "After this page …",
    "An equilibrium layer returns …",
    "This $y$ has …",
    "Apply artanh to …",
    "The result computes …",
    "So to find …",
    "The solver may …",
    "The gradient function needs the solution and …",
    "In code: `w = …",
    "The gradient function keeps …",
    "An equilibrium layer: …",
    "Repeat a step …",
    "`iterate` is the …",
    "`grad` then solves …",
)
@over(mode=[EAGER, XLA], seed=[0], n=[1, 4])
def test_the_layer(mode, seed, n):
    W, x, upstream = layer(seed, n)
    found = mode.gradients(
        program("implicit.py").equilibrium,
        W,
        x,
        loss=lambda y: tf.tensordot(upstream, y, 1),
    )
    for y in (unrolled(W, x).numpy(), by_newton(W, x)):
        assert close(np.tanh(W @ y + x), y) and close(np.arctanh(y) - W @ y, x)
        A = np.diag(1 / (1 - y * y)) - W
        w = np.linalg.solve(A.T, upstream)
        assert close(found[0], np.outer(w, y)) and close(found[1], w)


@says(
    "`iterate` raises an …",
    "The gradient function assumes …",
    "TensorFlow checks neither, …",
    "Raise an error, …",
    "XLA drops the …",
)
@over(mode=MODES, scale=[1.0, 9.0])
def test_a_solver_that_does_not_converge(mode, scale):
    turn = tf.constant([[0.0, -0.5], [0.5, 0.0]]) * scale  # 9: it goes round for good
    layer = program("implicit.py").equilibrium
    said = message(mode.gradient, lambda x: layer(turn, x), [0.2, 1.0])
    raises = scale > 1 and mode not in (XLA, AROUND_XLA)
    assert ("no convergence" in said) == raises and bool(said) == raises


@says(
    "`first_order_only` raises an …",
    "Without it, a …",
    "The saved $y$ …",
    "Refuse a second …",
)
@over(mode=EVERYWHERE)
def test_no_second_order(mode):
    W, x, _ = layer(0, 2)
    equilibrium = program("implicit.py").equilibrium
    assert raised(mode.gradient, lambda x: equilibrium(W, x) ** 2, x) is None
    error = raised(mode.derivative, lambda x: equilibrium(W, x) ** 2, x)
    assert "no second derivative" in str(error) or mode is AROUND_XLA
    assert error is not None
    names = {}
    exec(source("implicit.py").partition("\nW = ")[0], names)
    names["first_order_only"] = lambda downstream: downstream
    if mode in (EAGER, INSIDE, AROUND):
        lacks = mode.derivative(lambda x: names["equilibrium"](W, x) ** 2, x)
        right = EAGER.derivative(lambda x: unrolled(W, x) ** 2, x)
        assert np.all(np.isfinite(lacks)) and not close(lacks, right, 1e-2)


@says(
    "If the tapes …",
    "Without `tf.identity`, `grad` …",
    "So for second …",
)
@over(mode=OUTSIDE)
def test_kepler_with_tapes_outside(mode):
    kepler, x, k = program("root.py").kepler, np.float64(1.0), np.float64(0.5)
    found = mode.derivative(lambda x: kepler(x, tf.constant(k)), x)
    assert same(found, EAGER.derivative(lambda x: kepler(x, tf.constant(k)), x), 1e-6)
    copies = "    x, k = tf.identity(x), tf.identity(k)\n"
    before, copied, after = source("root.py").partition(copies)
    names = {}
    exec(before + after.partition("\nx, k = ")[0], names)
    error = raised(mode.derivative, lambda x: names["kepler"](x, tf.constant(k)), x)
    assert copied == copies and error is not None
    if "branch" in mode.name:  # there, the first derivative raises, too
        assert isinstance(error, AssertionError)
    else:
        assert isinstance(error, TypeError) and "out of scope" in str(error)


@says(
    "Differentiate both sides, …",
    r"The factors of $\d y$ …",
    r"Let $\upstream{u} \in \R^n$ …",
    "Solving the last …",
    "Moving this inverse …",
    "The transposed inverse …",
    "In the formula, …",
    "The factor in …",
    r"Therefore $\downstream{\bar x} = w$ …",
    was="'puts the inverse of A next to dy': in front of the right-hand side",
)
@over(seed=[0, 1, 2])
def test_the_differential(seed):
    W, x, upstream = layer(seed, 3)
    rng = np.random.default_rng(seed)
    dW, dx, h = rng.standard_normal([3, 3]), rng.standard_normal(3), 1e-6
    y = by_newton(W, x)
    dy = (by_newton(W + h * dW, x + h * dx) - by_newton(W - h * dW, x - h * dx)) / 2 / h
    bracket = [[1 if i == j else 0 for j in range(3)] for i in range(3)]
    A = bracket / (1 - y * y) - W
    assert close(A @ dy, dx + dW @ y, 1e-5)
    inverse = np.linalg.inv(A)
    assert close(dy, inverse @ (dx + dW @ y), 1e-5)
    assert not close(inverse @ dy, dx + dW @ y, 1e-2)
    w = np.linalg.solve(A.T, upstream)
    assert close(upstream @ dy, w @ dx + np.sum(np.outer(w, y) * dW), 1e-5)


@says(
    "The second line …",
    "So $y$ solves …",
    "`local A` is …",
    "These elements are …",
    "`downstream_W` is the …",
    was="'gives y back': up to rounding",
)
def test_the_trace():
    lines = trace("implicit.py")
    y = np.array(lines.starting("y ")[0].numbers)
    again = np.array(lines[1].numbers)
    assert lines[1].text.startswith("tanh(W y + x)") and np.allclose(again, y, 1e-6)
    assert np.any(again != y)
    slope = EAGER.gradient(tf.tanh, np.arctanh(y))
    assert np.allclose(1 / slope, 1 / (1 - y * y))
    w = np.array(lines.starting("downstream ")[0].numbers)
    W = np.reshape(lines.starting("downstream_W")[0].numbers, [2, 2])
    assert np.allclose(W, np.outer(w, y), 1e-5)
    start = next(i for i, line in enumerate(lines) if "local A" in line.text)
    A = np.reshape(lines[start].numbers + lines[start + 1].numbers, [2, 2])
    given = np.array([[0.5, -0.4], [0.3, 0.2]])
    assert np.allclose(A, np.diag(1 / (1 - y * y)) - given, 1e-4)


@says(
    "`tf.stop_gradient` around the …",
    "The left plot …",
    "In the comparison, the …",
    "The unrolled loop …",
    "The custom gradient keeps …",
    "Unrolling means that …",
    "Bytes that the …",
    "Unrolled and implicit …",
    "Two plots over …",
    "Left, the bytes …",
    "Right, relative errors …",
)
@over(stopped=[True, False], steps=[3, 6])
def test_what_is_kept(stopped, steps):
    n = 16
    with tf.Graph().as_default() as graph, tf.GradientTape() as tape:
        x, W = tf.ones(n, tf.float64), tf.eye(n, dtype=tf.float64)
        tape.watch(x)
        y = given = tf.stop_gradient(x) if stopped else x
        for _ in range(steps):
            y = tf.tanh(tf.linalg.matvec(W, y) + given)
        made = graph.get_operations()
        gradient = tape.gradient(y, x)
        added = graph.get_operations()[len(made) :]
    assert (gradient is None) == stopped
    assert [op.type for op in added].count("TanhGrad") == (0 if stopped else steps)
    lines = trace("unrolled.py")
    many = [25, 50, 75, 100]
    kept = {line.text.split()[0]: line.numbers[-4:] for line in lines[:2]}
    assert kept == {"unrolled": [256 * k for k in many], "custom": [128] * 4}
    assert kept["unrolled"][0] / many[0] == 256
    assert n * tf.float64.size == 128
    unrolled, rule = (lines[i].numbers for i in (2, 3))
    assert unrolled[1] > rule[1] and unrolled[3] > rule[3]


# Any condition.


@says(
    "If the solver finds …",
    "Now let $F$ …",
    "Let $A$ and …",
    "Linearizing $F = 0$ …",
    "The transpose of …",
    "The function `implicit` …",
    "You pass the …",
    "One custom gradient …",
    "solve, with the …",
)
@over(mode=[EAGER, INSIDE], seed=[0], form=["tanh", "artanh", "scaled"])
def test_any_condition(mode, seed, form):
    W, x, upstream = layer(seed, 3)

    def condition(y, W, x):
        z = tf.linalg.matvec(W, y) + x
        if form == "artanh":
            return tf.atanh(y) - z
        return (y - tf.tanh(z)) * (3.0 if form == "scaled" else 1.0)

    solved = program("general.py").implicit(condition, unrolled)
    assert np.allclose(condition(solved(tf.constant(W), x), W, x), 0, 0, 1e-9)
    found = mode.gradients(
        lambda W, x: tf.tensordot(upstream, solved(W, x), 1), tf.constant(W), x
    )
    right = EAGER.gradients(
        lambda W, x: tf.tensordot(upstream, unrolled(W, x), 1), tf.constant(W), x
    )
    assert close(found[0], right[0]) and close(found[1], right[1])
    y = unrolled(W, tf.constant(x))
    with tf.GradientTape(True) as tape:
        tape.watch([y, given := tf.constant(x)])
        F = condition(y, W, given)
    A, B = tape.jacobian(F, y).numpy(), tape.jacobian(F, given).numpy()
    dx = 1e-6 * np.array([1.0, -2.0, 0.5])
    dy = (unrolled(W, x + dx) - unrolled(W, x - dx)) / 2
    assert np.allclose(dy, -np.linalg.solve(A, B @ dx), 1e-5, 1e-12)
    assert close(found[1], -B.T @ np.linalg.solve(A.T, upstream))


@says(
    "The example is …",
    "At the minimum, such …",
    "So $F$ is …",
    "For both inputs …",
    "With the second `x`, …",
    "The row of …",
    "So the element's …",
    "The Jacobian $A$ has …",
    "One step of descent …",
    was="its row of A alone: its row of B must be 0, too",
)
@over(x=[[2.0, 1.0], [1.0, 3.0]], first=[1.0, 100.0])
def test_a_quadratic_program(x, first):
    defined = program("general.py")
    lines = [line.numbers for line in trace("general.py")]
    assert lines[1::4] == lines[2::4] and len(lines[1::4]) == 2
    M, x = defined.M, tf.constant(x, tf.float64)
    y = defined.descend(M, x)
    assert close(defined.step(y, M, x), y) and np.all(y >= 0)

    def value(y):
        return tf.norm(tf.linalg.matvec(M, y) - x) ** 2 + tf.norm(y) ** 2

    rng = np.random.default_rng(0)
    for _ in range(50):
        assert value(np.maximum(y + 0.1 * rng.standard_normal(2), 0)) >= value(y)
    with tf.GradientTape(True) as tape:
        tape.watch([y, x])
        F = y - defined.step(y, M, x)
    A, B = tape.jacobian(F, y), tape.jacobian(F, x)
    assert A.shape == (2, 2)
    w = np.linalg.solve(A.numpy().T, [first, 10.0])
    of_x = -B.numpy().T @ w
    found = EAGER.gradient(
        lambda x: tf.tensordot(
            [first, 10.0], tf.cast(defined.program(M, x), tf.float32), 1
        ),
        x,
    )
    if x[0] == 1:
        assert y[0] == 0 and same(A[0], [1.0, 0.0]) and [*B[0].numpy()] == [0, 0]
        assert close(found, trace("general.py")[5].numbers[-2:], 1e-4)
        without = np.linalg.solve(A.numpy().T, [0.0, 10.0])
        assert not close(w, without, 1e-2)  # the row of B makes it vanish, not A's
        assert close(of_x, -B.numpy().T @ without) and close(found, of_x, 1e-4)
    else:
        assert y[0] > 0


# Roots.

ORBITS = {"x": numbers(-20, 20), "k": numbers(0.05, 0.85)}


@says(
    "Kepler's equation gives …",
    "Usually the time …",
    "Again, $x$ in …",
    "Here $A$ is …",
    "The quotient of …",
    "Both gradients follow …",
    "This program also …",
    "Notice that `grad` …",
    "All four derivatives …",
    "For a second …",
    "The `y` of …",
    "In contrast, the …",
    "This call costs …",
    "Kepler's equation by …",
    "The y with …",
)
@over(mode=[EAGER, XLA], cases=6, **ORBITS)
def test_kepler(mode, x, k):
    defined, calls = program("root.py"), []
    x, k = np.float64(x), np.float64(k)
    y = defined.newton(x, k)
    assert abs(y - k * np.sin(y) - x) < 1e-9
    local = 1 - k * np.cos(y)
    assert close(mode.gradients(defined.kepler, x, k), [1 / local, np.sin(y) / local])
    second = mode.gradient(derivative(lambda x: defined.kepler(x, k)), x)
    assert close(second, -k * np.sin(y) / local**3, 1e-5)
    newton = defined.kepler.__wrapped__.__globals__["newton"]
    defined.kepler.__wrapped__.__globals__["newton"] = lambda *a: (
        calls.append(a) or newton(*a)
    )
    EAGER.gradient(lambda x: defined.kepler(x, k), x)
    assert len(calls) == 2
    shown = [line.numbers[-2:] for line in trace("root.py")[1:]]
    assert len(shown) == 4 and all(one == other for one, other in shown)


@says(
    "You can also …",
    "Hide the solver …",
    "This step doesn't …",
    "The program records …",
    "Without such a …",
    "With one step, …",
    "With two steps, …",
    "No custom gradient: …",
    "Solve without the …",
)
@over(mode=[EAGER, AROUND], steps=[0, 1, 2, 3], x=[1.0, 1.7], k=[0.5])
def test_newton_steps(mode, steps, x, k):
    defined, x = program("step.py"), np.float64(x)
    k = np.float64(k)
    y = program("root.py").newton(x, k)
    local = 1 - k * np.cos(y)

    def of(x):
        return defined.kepler(x, k, steps)

    assert close(of(tf.constant(x)), y, 1e-9)
    assert trace("step.py")[0]["first"] == 0
    first = mode.gradient(of, x)
    assert (first is None) == (steps == 0)
    if steps:
        assert close(first, 1 / local)
        second = mode.gradient(derivative(of), x)
        second = 0.0 if second is None else second
        assert close(second, -k * np.sin(y) / local**3, 1e-5) == (steps > 1)


# Linear systems.


@says(
    "Matrices derives the …",
    "The same rule …",
    "The solver that computed …",
    "The equation is …",
    "So $w$ is …",
    "For the last …",
    "In this program, …",
    "`downstream_c` agrees with …",
    "In this example, $A$ …",
    "A linear system …",
    "A y for a …",
    was="'The gradients agree with finite differences': printed for c alone",
)
@over(mode=[EAGER, INSIDE], n=[2, 5], seed=[0])
def test_linear(mode, n, seed):
    defined, rng = program("linear.py"), np.random.default_rng(seed)
    c, b = rng.uniform(0.2, 4, n - 1), rng.standard_normal(n)
    upstream = rng.standard_normal(n)

    def matrix(c):
        columns = [defined.times(c, row) for row in tf.eye(n, dtype=tf.float64)]
        return tf.stack(columns, 1)

    A = matrix(tf.constant(c)).numpy()
    assert close(A, A.T) and np.abs(np.diag(A, 2)).sum() == 0

    def own(c, b):
        y = tf.linalg.solve(matrix(c), b[:, None])[:, 0]
        return tf.reduce_sum(upstream * y)

    found = mode.gradients(
        lambda c, b: tf.reduce_sum(upstream * defined.solve(c, b)), c, b
    )
    right = EAGER.gradients(own, c, b)
    assert close(found[0], right[0]) and close(found[1], right[1])
    assert close(found[1], np.linalg.solve(A.T, upstream))
    names, calls = defined.solve.__wrapped__.__globals__, []
    with tf.GradientTape() as tape:
        tape.watch(given := tf.constant(c))
        y = defined.solve(given, tf.constant(b))
    names["solve"] = lambda *each: calls.append(each) or defined.solve(*each)
    tape.gradient(y, given)
    assert len(calls) == 2
    lines = trace("linear.py")
    w, of_b, of_c, differences = (
        lines.starting(name)[0].numbers[-count:]
        for name, count in (
            ("w =", 4),
            ("downstream_b", 4),
            ("downstream_c", 3),
            ("differences", 3),
        )
    )
    assert close(w, of_b, 1e-5) and of_c == differences


# Ridge regression.


@says(
    "Ridge regression minimizes …",
    "At the minimum, the …",
    "This condition is …",
    "The penalty enters …",
    "The gradient with respect …",
    "The left factor …",
    "With this gradient …",
    "The loss in the …",
    "The loss falls, …",
    "Ridge regression: the …",
)
@over(mode=[EAGER, INSIDE, AROUND], lambda_=[0.1, 1.0, 30.0])
def test_ridge(mode, lambda_):
    defined, rng = program("ridge.py"), np.random.default_rng(0)
    X, t = rng.standard_normal([9, 3]), rng.standard_normal(9)
    lambda_ = np.float64(lambda_)
    y = defined.ridge(X, t, lambda_).numpy()

    def loss(y):
        return tf.reduce_sum(
            (tf.linalg.matvec(X, y) - t) ** 2
        ) + lambda_ * tf.reduce_sum(y * y)

    assert np.allclose(EAGER.gradient(loss, y), 0, atol=1e-9)
    upstream = rng.standard_normal(3)
    found = mode.gradient(
        lambda lambda_: tf.reduce_sum(upstream * defined.ridge(X, t, lambda_)), lambda_
    )
    A = X.T @ X + lambda_ * np.eye(3)
    assert close(found, -np.linalg.solve(A.T, upstream) @ y)
    steps = trace("ridge.py")
    assert steps.all("loss") == sorted(steps.all("loss"), reverse=True)
    for line in steps:
        assert line["gradient"] == line["differences"]


# A loose tolerance.


@says(
    "The gradient function treats …",
    "In the output, …",
    "`both loose` also …",
    "`unrolled` is the …",
    "At each tolerance, …",
    "The error of …",
    "The unrolled gradient …",
    "How exact the …",
    "w with A^T …",
    was=(
        "'about as exact as y': up to five times more exact",
        "'about the same again': up to 2.4 times that of the rule",
    ),
)
def test_tolerance():
    lines = trace("tolerance.py")[1:]
    assert len(lines) == 5
    of_y, of_rule = [], []
    for line in lines:
        _, _, y, rule, both, tape = line.numbers
        assert rule < both < y < tape
        of_y.append(round(rule / y, 1))
        of_rule.append(round(both / rule, 1))
    assert min(of_y) == 0.2 and max(of_y) == 0.6
    assert min(of_rule) == 1.4 and max(of_rule) == 2.4
    reach = [
        next(line.numbers[1] for line in lines if line.numbers[at] < 1e-5)
        for at in (2, 5)
    ]
    assert reach[0] < reach[1]  # y, and the gradient of the tape
    last = lines[-1].numbers
    assert last[5] > 5 * last[2]
    defined = program("tolerance.py")
    y, _ = defined.solve(1e-14)
    w = defined.adjoint(y, 1e-14)
    A = np.diag(1 / (1 - y.numpy() ** 2)) - defined.W.numpy()
    assert close(A.T @ w.numpy(), defined.upstream)


@says(
    "This check changes …",
    "The `grad` of …",
    "Three results computed …",
    "The gradient of the layer, …",
)
def test_the_check():
    assert program("check.py").x.shape == (5,)
    *first, second, change = (line.numbers[-1] for line in trace("check.py"))
    assert len(first) == 3 and len({*first}) == 1 and second == change


# Where it breaks.


@says(
    "A tape through the …",
    "If the solver starts at the solution, the …",
    "The solver starts …",
    "In this example, the …",
    "From 0, the …",
    "A training loop …",
    "If the solver starts at the solution, its …",
    "The value of …",
    "A tape through a …",
    "The custom gradient is …",
    "Deliberately wrong: a …",
    "Repeat y = …",
)
@over(x=[0.1, 0.5])
def test_warm(x):
    lines, defined = trace("wrong/warm.py"), program("wrong/warm.py")
    cold, warm = lines[:2]
    assert cold["steps"] > 10 and warm["steps"] == 1 and cold["y"] == warm["y"]
    assert round(cold["tape"], 2) == 1.96 == round(lines[2].numbers[0], 2)
    assert warm["tape"] == 1 and warm["custom"] == cold["custom"]
    answer = defined.solve(tf.constant(x), tf.constant(0.0))[0]
    assert close(answer, x + np.sin(answer) / 2, 1e-5)
    assert defined.solve(tf.constant(x), answer)[1] == 1
    for start in (0.0, answer):
        loop = EAGER.gradient(lambda x: defined.solve(x, tf.constant(start))[0], x)
        rule = EAGER.gradient(
            lambda x: defined.solve_with_rule(x, tf.constant(start)), x
        )
        right = 1 / (1 - 0.5 * np.cos(answer))
        assert close(rule, right, 1e-4)
        assert close(loop, right, 1e-4) == (start is not answer)


@says(
    "The system isn't …",
    "Here `grad` solves …",
    "A test with …",
    "With the symmetric …",
    "With the other …",
    "Deliberately wrong: grad …",
)
@over(symmetric=[True, False], seed=[0, 1])
def test_not_transposed(symmetric, seed):
    W, x, upstream = layer(seed, 3, 0.4)
    W = tf.constant((W + W.T) / 2 if symmetric else W)

    def of(function):
        return EAGER.gradient(lambda x: tf.reduce_sum(upstream * function(W, x)), x)

    wrong = of(program("wrong/transpose.py").equilibrium)
    assert close(wrong, of(unrolled)) == symmetric


@says(
    "Two more mistakes …",
    "With a custom gradient, …",
)
@over(rule=[True, False])
def test_a_loop_under_xla(rule):
    def loop(x):
        def halve(y, left):
            return 0.5 * y + x, left - 1

        return tf.while_loop(lambda y, left: left > 0, halve, (x, 30))[0]

    def with_rule(x):
        return loop(tf.stop_gradient(x)), lambda upstream: 2.0 * upstream

    function = tf.custom_gradient(with_rule) if rule else loop
    error = raised(XLA.gradient, function, 1.0)
    assert (error is None) == rule
    if rule:
        assert same(XLA.gradient(function, 1.0), 2.0)
    closed = tf.custom_gradient(lambda x: (x * parameter, lambda u: u * parameter))
    parameter = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(parameter)
        x = tf.constant(2.0)
        tape.watch(x)
        y = closed(x)
    assert tape.gradient(y, parameter) is None


@says(
    "For a given …",
    "$z$ in terms …",
    "`grad` calls `lambert`, …",
    "Both derivatives agree …",
    "Lambert's function: the …",
)
@over(mode=[EAGER, XLA], z=[1e-3, 50.0])
def test_lambert(mode, z):
    lambert, z = program("solution.py").lambert, np.float64(z)
    y = lambert(z).numpy()
    assert close(z, y * np.exp(y)) and y > 0
    assert close(mode.gradient(lambert, z), 1 / ((1 + y) * np.exp(y)))
    right = -(y + 2) / ((1 + y) ** 3 * np.exp(2 * y))
    assert close(mode.gradient(derivative(lambert), z), right, 1e-5)


# Batches, no matrix, no convergence.


@says(
    "In a batch, each row of …",
    "In a batch, each row has …",
    "A change in …",
    "`tape.batch_jacobian` computes only …",
    "The formulas of …",
    "The custom gradient and …",
    "All rows share …",
    "The solver should …",
    "As in `implicit.py`, …",
    "A batch: the …",
    "As in general.py, …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], rows=[1, 3])
def test_batches(mode, rows):
    defined, rng = program("batches.py"), np.random.default_rng(rows)
    W = tf.constant(layer(0, 4)[0])
    x, upstream = (rng.standard_normal([rows, 4]) for _ in range(2))

    def total(W, x):
        return tf.reduce_sum(upstream * defined.equilibrium(W, x))

    found = mode.gradients(total, W, tf.constant(x))
    each = [
        EAGER.gradients(
            lambda W, x: tf.tensordot(upstream[i], unrolled(W, x), 1), W, x[i]
        )
        for i in range(rows)
    ]
    assert close(found[0], sum(np.array(of_W) for of_W, _ in each))
    assert close(found[1], [of_x for _, of_x in each])
    y = defined.iterate(W, tf.constant(x))
    assert close(defined.step(y, W, x), y)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(y)
        F = y - defined.step(y, W, x)
    whole = tape.jacobian(F, y).numpy()
    blocks = tape.batch_jacobian(F, y).numpy()
    for i in range(rows):
        for j in range(rows):
            assert close(whole[i, :, j], blocks[i] if i == j else 0 * blocks[i])
    error = raised(mode.derivative, lambda x: defined.equilibrium(W, x) ** 2, x)
    assert error is not None
    assert "one derivative only" in str(error) or mode is XLA
    ours, general = (source(name).split("\n") for name in ("batches.py", "general.py"))
    changed = [
        line
        for line in ours
        if line not in general and ("A = " in line or "w = " in line)
    ]
    assert len(changed) == 2


@says(
    "A large system …",
    "For a nonlinear …",
    "An iterative solver …",
    "Each step costs …",
    "The function `dot` …",
    "After 12 steps, …",
    "For each row …",
    "If 12 steps …",
    "The adjoint without …",
    "The w with times(w) …",
    "Cells on a …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], c=[0.1, 0.2])
def test_matrix_free(mode, c):
    defined, rng = program("matrix_free.py"), np.random.default_rng(0)
    x, upstream = (rng.uniform(-1, 1, [2, 30]) for _ in range(2))
    c = np.float64(c)
    y = defined.find(c, tf.constant(x))
    assert np.abs(defined.condition(y, c, x)).max() < 1e-12
    found = mode.gradients(
        lambda c, x: tf.reduce_sum(upstream * defined.transported(c, x)),
        c,
        tf.constant(x),
    )
    one = np.roll(np.eye(30), 1, 0)
    by_c = 0.0
    for i in range(2):
        A = np.diag(1 + 3 * y[i].numpy() ** 2) + c * (np.eye(30) - one)
        w = np.linalg.solve(A.T, upstream[i])
        assert close(found[1][i], w, 1e-4)
        by_c -= w @ (np.eye(30) - one) @ y[i].numpy()
    assert close(found[0], by_c, 1e-4)
    products = []

    def times(w):
        products.append(w)
        return tf.linalg.matvec(A, w, transpose_a=True)

    defined.conjugate_residuals(times, tf.constant(upstream[1]), 12)
    assert len(products) == 12
    said = message(defined.conjugate_residuals, times, tf.constant(upstream[1]), 3)
    assert "the adjoint did not converge" in said
    for line in trace("matrix_free.py")[1:]:
        assert close(*line.numbers[-2:], 1e-6)
    assert trace("matrix_free.py")[0].numbers == [1_000_000]


@says(
    "If the symmetric …",
    "The program below uses …",
    "But if $A$ …",
    "The number of steps …",
)
@over(steps=[1, 2, 4])
def test_steps_of_gmres(steps):
    defined, rng = program("matrix_free.py"), np.random.default_rng(0)
    skew, b = rng.standard_normal([6, 6]), rng.standard_normal(6)
    solutions = []

    def residual(A, b, steps, least=True):
        columns = [np.linalg.matrix_power(A, i) @ b for i in range(steps)]
        K = np.stack(columns, 1)
        names = defined.conjugate_residuals.__globals__["tf"].debugging
        kept, names.assert_less_equal = names.assert_less_equal, lambda *_: None
        try:
            w = defined.conjugate_residuals(
                lambda w: tf.linalg.matvec(tf.constant(A), w), tf.constant(b), steps
            ).numpy()
        finally:
            names.assert_less_equal = kept
        solutions.append(w)
        best = K @ np.linalg.lstsq(A @ K, b, rcond=None)[0]
        assert close(w, best, 1e-6) == least
        return np.linalg.norm(A @ w - b)

    far, near_ = (np.eye(6) + s * (skew - skew.T) for s in (0.3, 0.03))
    assert np.all(np.linalg.eigvalsh(far + far.T) > 0)
    assert residual(near_, b, steps) < residual(far, b, steps)
    turn, start = np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([1.0, 2.0])
    assert close(turn @ start, [np.cos(np.pi / 2 + np.arctan(2)) * 5**0.5, 1.0])
    assert np.degrees(np.pi / 2) == 90
    assert residual(turn, start, 2, least=False) == np.linalg.norm(start)
    assert [*solutions[-1]] == [0, 0]


@says(
    "If $A$ is …",
    "If the forward …",
)
def test_other_solvers():
    defined = program("tolerance.py")
    y, _ = defined.solve(1e-12)
    A = np.diag(1 / (1 - y.numpy() ** 2)) - defined.W.numpy()
    w = np.linalg.solve(A.T, defined.upstream)
    assert close(defined.adjoint(y, 1e-12), w)
    S, b = A @ A.T, np.array(defined.upstream)
    x, r, p = 0 * b, b, b
    for _ in range(60):
        q = S @ p
        x, old, r = x + r @ r / (p @ q) * p, r, r - r @ r / (p @ q) * q
        p = r + r @ r / (old @ old) * p
        if r @ r < 1e-24:
            break
    assert close(S @ x, b)


@says(
    "If $r$ isn't …",
    "Compute the residual …",
    "Leave the row …",
    "The row then …",
    "This works only …",
    "If $y$ is …",
    "Under XLA, the …",
    "A damped iteration …",
    "The gradient function stays …",
    "The program shows …",
    "With damping 1.0 …",
    "The row that …",
    "With damping 0.2, …",
    "A batch in …",
    was="'adds nothing to the gradients': a row that is NaN makes the solve fail",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA], damping=[1.0, 0.2])
def test_not_converged(mode, damping):
    defined = program("not_converged.py")
    W, x = defined.W, defined.x
    y = defined.equilibrium(W, x, damping)
    moved = np.abs(defined.step(y, W, x) - y).max(1)
    converged = moved < 1e-6
    assert converged.tolist() == [damping == 0.2, True, True]

    def loss(W, x):
        y = defined.equilibrium(W, x, damping)
        fine = tf.reduce_max(tf.abs(defined.step(y, W, x) - y), axis=1) < 1e-6
        return tf.reduce_sum(tf.where(fine, y[:, 0], 0.0))

    found = mode.gradients(loss, W, x)
    of_W = 0
    for i in np.flatnonzero(converged):
        A = np.diag(1 / (1 - y[i].numpy() ** 2)) - W.numpy()
        w = np.linalg.solve(A.T, [1.0, 0.0])
        assert close(found[1][i], w, 1e-4)
        of_W = of_W + np.outer(w, y[i])
    assert close(found[0], of_W, 1e-4)
    lost = tf.where([[True], [False], [False]], np.float64("nan"), x)
    if mode is XLA:
        of_W, of_x = mode.gradients(loss, W, lost)
        assert np.all(np.isnan(of_W)) and np.all(np.isfinite(of_x[1:]))
    else:
        said = message(mode.gradients, loss, W, lost)
        assert "Input matrix is not invertible" in said
    if damping == 1.0:
        assert same(found[1][0], [0.0, 0.0])
        plain = EAGER.gradient(lambda x: defined.equilibrium(W, x, 1.0)[:, 0], x)
        steps = [tf.zeros_like(x)]
        for _ in range(200):
            steps.append(defined.step(steps[-1], W, x))
        assert np.abs(steps[-1] - steps[-5])[0].max() < 1e-6  # it circles
        right = EAGER.gradient(lambda x: defined.equilibrium(W, x, 0.2)[:, 0], x)
        assert np.all(np.isfinite(plain)) and not close(plain[0], right[0], 0.1)
        later = steps[-2].numpy()[0]
        A = np.diag(1 / (1 - later**2)) - W.numpy()
        assert not close(np.linalg.solve(A.T, [1.0, 0.0]), plain[0], 0.1)

        def F(y, x):
            return np.arctanh(y) - W.numpy() @ y - x

        def solution(x):
            z = now
            for _ in range(30):
                A = np.diag(1 / (1 - z**2)) - W.numpy()
                z = z - np.linalg.solve(A, F(z, x) - e)
            return z

        now, given, h = y[0].numpy(), x[0].numpy(), 1e-6
        e = F(now, given)
        assert (
            np.abs(e).max() > 1 and np.abs(F(solution(given), given) - e).max() < 1e-9
        )
        change = [solution(given + s) - solution(given - s) for s in h * np.eye(2)]
        assert close(plain[0], [each[0] / 2 / h for each in change], 1e-5)


@says(
    "The picture shows the steps …",
    "A step goes up …",
    "The nearer the solver …",
    "The curve x + …",
    "From the cold start …",
    "There, a dot marks …",
    "A label gives the …",
    "The steps of a …",
)
@over(mode=MODES)
def test_the_cobweb(mode):
    [plot] = drawn("cobweb.py")[0].axes
    line, curve, stairs, dot = (np.array(each.get_xydata()) for each in plot.lines)
    f = lambda y, x=0.1: x + np.sin(y) / 2  # noqa: E731
    assert same(line[:, 0], line[:, 1]) and same(curve[:, 1], f(curve[:, 0]), 1e-6)
    below, above, on_line = stairs[::2][:-1], stairs[1::2], stairs[2::2]
    assert same(below[0], [0, 0]) and len(above) == 18
    assert np.allclose(above[:, 1], f(above[:, 0])) and np.all(
        below[:, 0] == above[:, 0]
    )
    assert np.all(below[:9, 1] < above[:9, 1]) and same(on_line[:, 0], on_line[:, 1])
    assert np.all(np.diff(np.diff(above[:9, 1])) < 0)
    assert np.allclose(dot[0], on_line[-1], atol=1e-5)
    start = float(dot[0, 0])
    assert abs(f(start) - start) < 1e-6

    def steps(start, times):
        def after(x):
            y = tf.constant(np.float32(start))
            for _ in range(times):
                y = x + tf.sin(y) / 2.0
            return y

        return mode.gradient(after, 0.1)

    cold, warm = trace("cobweb.py")[:2]
    taken = warm.numbers[1]
    assert taken == 1
    assert cold.numbers[1:] == [18, 1.961407] and warm.numbers[1:] == [1, 1.0]
    label = plot.texts[0].get_text()
    assert label == "cold start: 18 steps, gradient 1.961"
    assert len(above) == 18 and round(cold.numbers[2], 3) == 1.961
    assert same(steps(0.0, 18), cold.numbers[2], 1e-5) and same(steps(start, 1), 1.0)
    moved = [
        list(map(float, re.findall(r"-?\d+\.?\d*", text.split("\n")[1])))
        for text in source("cobweb.live").split("=== ")[1:]
    ]
    starts, numbers_of, gradients = zip(*moved)
    assert list(starts) == sorted(starts) and starts[-1] < start and len(starts) > 1
    assert np.all(np.diff(numbers_of) < 0) and np.all(np.diff(gradients) < 0)
    for each, number, gradient in moved:
        assert same(steps(each, int(number)), gradient, 1e-4)


pointer(
    "The program that draws …",
    "The types of …",
    "Compare the gradients with …",
    "The figure compares …",
)
advice(
    "Use *Change the picture* …",
    "You need the …",
    "Derive the gradient …",
    "Look at `local …",
    "Compare `downstream_x` with …",
    "Which solver works depends on $A$:",
    "For other matrices, …",
    "Use a different solver.",
    "Don't skip rows …",
)
