"""What the page on implicit differentiation says in words."""

import functools

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
    "TensorFlow doesn't check …",
)
@over(mode=MODES, scale=[1.0, 9.0])
def test_a_solver_that_does_not_converge(mode, scale):
    turn = tf.constant([[0.0, -0.5], [0.5, 0.0]]) * scale  # 9: it goes round for good
    layer = program("implicit.py").equilibrium
    said = message(mode.gradients, layer, turn, [0.2, 1.0])
    raises = scale > 1 and mode not in (XLA, AROUND_XLA)
    assert ("no convergence" in said) == raises and bool(said) == raises


PLACES = [BLOCKS[0], BLOCKS[1], BLOCKS[4], *BLOCKS[9:]]
"""In a function, a branch, a loop, and ``strategy.run``."""


@says(
    "`first_order_only` raises an …",
    "Without it, a …",
    "The saved $y$ …",
    "Refuse a second …",
)
@over(mode=[*MODES, *PLACES, *UNKNOWN])
def test_no_second_order(mode):
    W, x, _ = layer(0, 2)
    equilibrium = program("implicit.py").equilibrium
    if mode in (EAGER, INSIDE, AROUND_XLA):
        assert raised(mode.gradient, lambda x: equilibrium(W, x) ** 2, x) is None
    error = raised(mode.derivative, lambda x: equilibrium(W, x) ** 2, x)
    assert "no second derivative" in str(error) or mode is AROUND_XLA
    assert error is not None
    if mode in (EAGER, INSIDE):
        names = {}
        exec(source("implicit.py").partition("\nW = ")[0], names)
        names["first_order_only"] = lambda downstream: downstream
        lacks = mode.derivative(lambda x: names["equilibrium"](W, x) ** 2, x)
        right = EAGER.derivative(lambda x: unrolled(W, x) ** 2, x)
        assert np.all(np.isfinite(lacks)) and not close(lacks, right, 1e-2)


@says(
    "If a `tf.function` …",
    "Otherwise `grad` uses …",
    "So for second …",
)
@over(mode=OUTSIDE)
def test_kepler_with_tapes_outside(mode):
    """Three of the twelve steps find this root."""
    x, k, names = np.float64(1.0), np.float64(0.5), {}
    shorter = source("root.py").replace("range(12)", "range(3)").partition("\nx, k = ")
    exec(shorter[0], names)
    found = mode.derivative(lambda x: names["kepler"](x, tf.constant(k)), x)
    y = program("root.py").newton(x, k)
    assert same(found, -k * np.sin(y) / (1 - k * np.cos(y)) ** 3, 1e-6)
    copies = "    x, k = tf.identity(x), tf.identity(k)\n"
    before, copied, after = shorter[0].partition(copies)
    exec(before + after, names)
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
)
@over(stopped=[True, False], steps=[3, 6], n=[16])
def test_what_is_kept(stopped, steps, n):
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


# Any condition.


@functools.cache
def of_unrolled(seed):
    W, x, upstream = layer(seed, 3)
    return unrolled(W, tf.constant(x)), EAGER.gradients(
        lambda W, x: tf.tensordot(upstream, unrolled(W, x), 1), tf.constant(W), x
    )


@says(
    "The gradient is then …",
    "If the solver finds …",
    "Now let $F$ …",
    "Let $A$ and …",
    "Linearizing $F = 0$ …",
    "The transpose of …",
    "The function `implicit` …",
    "You pass the …",
    "A large system …",
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
    y, right = of_unrolled(seed)
    assert close(found[0], right[0]) and close(found[1], right[1])
    if mode is not EAGER:
        return
    with tf.GradientTape(True) as tape:
        tape.watch([y, given := tf.constant(x)])
        F = condition(y, W, given)
    A, B = tape.jacobian(F, y).numpy(), tape.jacobian(F, given).numpy()
    dx = 1e-6 * np.array([1.0, -2.0, 0.5])
    dy = (unrolled(W, x + dx) - unrolled(W, x - dx)) / 2
    assert np.allclose(dy, -np.linalg.solve(A, B @ dx), 1e-5, 1e-12)
    assert close(found[1], -B.T @ np.linalg.solve(A.T, upstream))
    vjp = EAGER.gradient(lambda y: tf.tensordot(upstream, condition(y, W, x), 1), y)
    assert close(vjp, A.T @ upstream)


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


def position_and_slope(x, k, again_x, again_k):
    kepler = program("root.py").kepler
    return kepler(x, k) + derivative(lambda x: kepler(x, again_k))(again_x)


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
    x, k = tf.constant(x, tf.float64), tf.constant(k, tf.float64)
    y = defined.newton(x, k)
    assert abs(y - k * np.sin(y) - x) < 1e-9
    local = 1 - k * np.cos(y)
    *first, second, _ = mode.gradients(position_and_slope, x, k, x, k)
    assert close(first, [1 / local, np.sin(y) / local])
    assert close(second, -k * np.sin(y) / local**3, 1e-5)
    newton = defined.kepler.__wrapped__.__globals__["newton"]
    defined.kepler.__wrapped__.__globals__["newton"] = lambda *a: (
        calls.append(a) or newton(*a)
    )
    EAGER.gradient(lambda x: defined.kepler(x, k), x)
    assert len(calls) == 2
    shown = [line.numbers[-2:] for line in trace("root.py")[1:]]
    assert len(shown) == 4 and all(one == other for one, other in shown)


@functools.cache
def stepped(k, steps):
    kepler = program("step.py").kepler
    return lambda x: kepler(x, k, steps)


derived = functools.cache(derivative)
"""The same function each time, so that a mode has one graph of it."""


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
    x, k = np.float64(x), np.float64(k)
    y = program("root.py").newton(x, k)
    local, of = 1 - k * np.cos(y), stepped(k, steps)
    assert close(of(tf.constant(x)), y, 1e-9)
    assert trace("step.py")[0]["first"] == 0
    first = mode.gradient(of, x)
    assert (first is None) == (steps == 0)
    if steps:
        assert close(first, 1 / local)
        second = mode.gradient(derived(of), x)
        second = 0.0 if second is None else second
        assert close(second, -k * np.sin(y) / local**3, 1e-5) == (steps > 1)


# Ridge regression.


@says(
    "The program trains …",
    "Ridge regression minimizes …",
    "At the minimum, the …",
    "This condition is …",
    "The penalty enters …",
    "The gradient with respect …",
    "The left factor …",
    "With this gradient …",
    "The loss is …",
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
    "One more mistake …",
)
def test_a_captured_parameter():
    closed = tf.custom_gradient(lambda x: (x * parameter, lambda u: u * parameter))
    parameter = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(parameter)
        x = tf.constant(2.0)
        tape.watch(x)
        y = closed(x)
    assert tape.gradient(y, parameter) is None


def lambert_and_slope(z, again):
    lambert = program("solution.py").lambert
    return lambert(z) + derivative(lambert)(again)


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
    first, second = mode.gradients(lambert_and_slope, z, z)
    assert close(first, 1 / ((1 + y) * np.exp(y)))
    assert close(second, -(y + 2) / ((1 + y) ** 3 * np.exp(2 * y)), 1e-5)


# Batches.

traced_once = functools.cache(tf.function)


@functools.cache
def by_rows(rows):
    """Weights, inputs, upstream gradients and, row by row, the unrolled gradients."""
    rng, W = np.random.default_rng(rows), tf.constant(layer(0, 4)[0])
    x, upstream = (tf.constant(rng.standard_normal([rows, 4])) for _ in range(2))
    each = [
        EAGER.gradients(
            lambda W, x: tf.tensordot(upstream[i], unrolled(W, x), 1), W, x[i]
        )
        for i in range(rows)
    ]
    return W, x, upstream, each


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
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_batches(mode):
    defined, rows = program("batches.py"), 3
    W, x, upstream, each = by_rows(rows)
    equilibrium = defined.equilibrium
    if mode not in (EAGER, INSIDE):  # there, the loop of the solver is traced once
        equilibrium = defined.implicit(
            lambda y, W, x: y - defined.step(y, W, x), traced_once(defined.iterate)
        )
    found = mode.gradients(
        lambda W, x: tf.reduce_sum(upstream * equilibrium(W, x)), W, x
    )
    assert close(found[0], sum(np.array(of_W) for of_W, _ in each))
    assert close(found[1], [of_x for _, of_x in each])
    if mode is EAGER:
        alone = mode.gradient(lambda x: tf.reduce_sum(equilibrium(W, x)), x[:1])
        assert close(
            alone, mode.gradient(lambda x: tf.reduce_sum(defined.iterate(W, x)), x[:1])
        )
        y = defined.iterate(W, x)
        assert close(defined.step(y, W, x), y)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(y)
            F = y - defined.step(y, W, x)
        whole = tape.jacobian(F, y).numpy()
        blocks = tape.batch_jacobian(F, y).numpy()
        for i in range(rows):
            for j in range(rows):
                assert close(whole[i, :, j], blocks[i] if i == j else 0 * blocks[i])
    error = raised(mode.derivative, lambda x: equilibrium(W, x) ** 2, x)
    assert error is not None
    assert "one derivative only" in str(error) or mode is XLA
    ours, general = (source(name).split("\n") for name in ("batches.py", "general.py"))
    changed = [
        line
        for line in ours
        if line not in general and ("A = " in line or "w = " in line)
    ]
    assert len(changed) == 2


pointer(
    "If rounding errors …",
    "The next page …",
    "The types of …",
    "Compare the gradients with …",
)
advice(
    "You need the …",
    "Derive the gradient …",
    "Look at `local …",
    "Compare `downstream_x` with …",
)
definition(
    "It also assumes …",
)
