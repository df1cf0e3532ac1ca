"""What the page on large systems and inexact solvers says in words."""

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


@says(
    "Matrices derives the …",
    "The same rule …",
    "In a linear …",
    "The solver that computed …",
    "The equation is …",
    "So $w$ is …",
    "The gradient with …",
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


CELLS = np.random.default_rng(0).uniform(-1, 1, [2, 2, 30])


def of_cells(y):
    return tf.reduce_sum(CELLS[1] * y)


@says(
    "A large system …",
    "After this page …",
    "Many iterative solvers need only …",
    "For a nonlinear condition, a VJP multiplies …",
    "For a nonlinear condition, a VJP of …",
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
    defined, (x, upstream) = program("matrix_free.py"), CELLS
    c = np.float64(c)
    y = defined.find(c, tf.constant(x))
    assert np.abs(defined.condition(y, c, x)).max() < 1e-12
    found = mode.gradients(defined.transported, c, tf.constant(x), loss=of_cells)
    one = np.roll(np.eye(30), 1, 0)
    by_c = 0.0
    for i in range(2):
        A = np.diag(1 + 3 * y[i].numpy() ** 2) + c * (np.eye(30) - one)
        w = np.linalg.solve(A.T, upstream[i])
        assert close(found[1][i], w, 1e-4)
        by_c -= w @ (np.eye(30) - one) @ y[i].numpy()
    assert close(found[0], by_c, 1e-4)
    if mode is not EAGER:
        return
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
    "In the right …",
    "Memory doesn't grow …",
    "In the comparison, the …",
    "The left plot …",
    "The unrolled loop keeps 256 …",
    "The unrolled loop keeps 10240 …",
    "The custom gradient keeps only …",
    "The custom gradient keeps 128 …",
    "Unrolling means that …",
    "Bytes that the …",
    "Unrolled and implicit …",
    "Two plots over …",
    "Left, the bytes …",
    "The layer in …",
    "The solver takes …",
    "Right, relative errors …",
)
def test_what_is_kept():
    lines = trace("unrolled.py")
    many = [25, 50, 75, 100]
    kept = {line.text.split()[0]: line.numbers[-4:] for line in lines[:2]}
    assert kept == {"unrolled": [256 * k for k in many], "custom": [128] * 4}
    assert kept["unrolled"][0] / many[0] == 256
    names = {"W": np.zeros([16, 16]), "x": np.zeros(16)}
    exec(source("unrolled.py").partition("\nrng = ")[0], names)
    assert names["kept"](names["unrolled"], 40) == 10240
    for steps in (1, 40):
        assert names["kept"](names["implicit"], steps) == 128 == 16 * tf.float64.size
    unrolled, rule = (lines[i].numbers for i in (2, 3))
    assert unrolled[1] > rule[1] and unrolled[3] > rule[3]


@says(
    "So both $y$ …",
    "The gradient function treats …",
    "At a loose …",
    "The gradient of a …",
    "In the output, …",
    "In `both loose`, …",
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
    "Raise an error, …",
    "XLA drops the …",
)
@over(mode=MODES, scale=[1.0, 9.0])
def test_the_assertion(mode, scale):
    turn = tf.constant([[0.0, -0.5], [0.5, 0.0]]) * scale  # 9: it goes round for good
    layer = program("../implicit/implicit.py").equilibrium
    said = message(mode.gradients, layer, turn, [0.2, 1.0])
    raises = scale > 1 and mode not in (XLA, AROUND_XLA)
    assert ("no convergence" in said) == raises and bool(said) == raises


@says(
    "If $r$ isn't …",
    "If the solver didn't …",
    "TensorFlow doesn't test …",
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
    if damping == 1.0 and mode is EAGER:
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


def halvings(x, y, times):
    for _ in range(times):
        y = x + y / 2
    return y


def of_halvings(one, two, many, start):
    given = (one, 1), (two, 2), (many, 24)
    return [halvings(x, start, times) for x, times in given]


@says(
    "Predict: two steps …",
    "A solver repeats …",
    "It starts at …",
    "The tape returns …",
    "The last step …",
    "The custom gradient would …",
)
@over(mode=MODES, x=[0.0, 0.7])
def test_two_steps_from_the_solution(mode, x):
    x, solution = np.float32(x), np.float32(2 * x)
    assert same(mode.value(lambda x: halvings(x, solution, 2), x), solution)
    one, two, many, _ = mode.gradients(of_halvings, x, x, x, solution)
    assert same(two, 1.5) and same(one, 1.0) and same(two - one, one / 2)
    assert same(many, 2.0, 1e-6)


@says(
    "One more mistake …",
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

    def after(x, start, times):
        y = tf.constant(np.float32(start))
        for _ in range(times):
            y = x + tf.sin(y) / 2.0
        return y

    cold, warm = trace("cobweb.py")[:2]
    taken = warm.numbers[1]
    assert taken == 1
    assert cold.numbers[1:] == [18, 1.961407] and warm.numbers[1:] == [1, 1.0]
    label = plot.texts[0].get_text()
    assert label == "cold start: 18 steps, gradient 1.961"
    assert len(above) == 18 and round(cold.numbers[2], 3) == 1.961
    moved = [
        list(map(float, re.findall(r"-?\d+\.?\d*", text.split("\n")[1])))
        for text in source("cobweb.live").split("=== ")[1:]
    ]
    starts, numbers_of, gradients = zip(*moved)
    assert list(starts) == sorted(starts) and starts[-1] < start and len(starts) > 1
    assert np.all(np.diff(numbers_of) < 0) and np.all(np.diff(gradients) < 0)
    runs = [(0.0, 18), (start, 1)]
    if mode in (EAGER, INSIDE, XLA):
        runs += [(each, int(times)) for each, times, _ in moved]
    from_0, from_solution, *found = mode.gradients(
        lambda *xs: [after(x, *run) for x, run in zip(xs, runs)], *[0.1] * len(runs)
    )
    assert same(from_0, cold.numbers[2], 1e-5) and same(from_solution, 1.0)
    assert same(found, gradients[: len(found)], 1e-4)


pointer(
    "The next section compares …",
    "The program that draws …",
    "The figure compares …",
    "Some programs have …",
)
definition("The solver finds …", "Here, $A$ is …", "A dot marks …")
advice(
    "Many iterative solvers need nothing …",
    "Use *Change the picture* …",
    "You need the …",
    "Which of them …",
    "For other matrices, …",
    "Use a different solver.",
    "Don't skip rows …",
)
