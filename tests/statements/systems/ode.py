"""What the page on differential equations says in words."""

import functools
import inspect

from truth.statements.tries import *


def close(one, other, within=1e-5):
    return np.allclose(one, other, within, 1e-9)


def rk4(f, state, T, steps=40):
    h = T / steps
    for _ in range(steps):
        k1 = f(*state)
        k2 = f(*[s + h / 2 * k for s, k in zip(state, k1)])
        k3 = f(*[s + h / 2 * k for s, k in zip(state, k2)])
        k4 = f(*[s + h * k for s, k in zip(state, k3)])
        state = [
            s + h / 6 * (a + 2 * b + 2 * c + d)
            for s, a, b, c, d in zip(state, k1, k2, k3, k4)
        ]
    return state


def prey(y, p):
    """Slope, and its Jacobians by state and parameters, of prey and predators."""
    meet = y[0] * y[1]
    J = [[p[0] - p[1] * y[1], -p[1] * y[0]], [p[2] * y[1], p[2] * y[0] - p[3]]]
    B = [[y[0], -meet, 0, 0], [0, 0, meet, -y[1]]]
    slope = np.array([p[0] * y[0] - p[1] * meet, p[2] * meet - p[3] * y[1]])
    return slope, np.array(J), np.array(B)


def plain(t, y, p):
    meet = y[0] * y[1]
    return tf.stack([p[0] * y[0] - p[1] * meet, p[2] * meet - p[3] * y[1]])


START, P = np.array([1.0, 0.5]), np.array([1.1, 0.9, 0.8, 1.0])


@functools.cache
def adaptive():
    """The program's solver. It is read once, because the program solves its equation
    each time, at a tolerance of 1e-9."""
    return program("adaptive.py").adaptive


# The derivation.


@says(
    "After this page …",
    "In the equation, a …",
    "The gradient comes …",
    "Here $q$ is …",
    "The adjoint $a$ …",
    "The input is …",
    "In between, the …",
    "A small change …",
    "The time derivative …",
    "The two matrices …",
    "Let $a$ be …",
    "At time $T$, let …",
    "You may choose …",
    "Choose $q$ so …",
    "The product rule …",
    "The equation for …",
    "Its solution starts …",
    "Integrate the second …",
    "Its left side …",
    "The inner product …",
    "So the gradient of $y_0$ …",
    "The gradient of $p$ …",
    "For any `f`, …",
    "The example is …",
    "The adjoint of …",
    "The solution at …",
)
@over(T=[0.5, 2.0], upstream=[[1.0, 10.0]])
def test_the_adjoint(T, upstream):
    rng, defined = np.random.default_rng(0), program("odeint.py")
    dy, s, upstream = rng.standard_normal(2), rng.standard_normal(4), np.array(upstream)

    def along(y, z):
        slope, J, B = prey(y, P)
        return slope, J @ z + B @ s

    y, z = rk4(along, [START, dy], T)
    h = 1e-6
    ends = [
        rk4(lambda y, p=P + h * sign * s: [prey(y, p)[0]], [START + h * sign * dy], T)[
            0
        ]
        for sign in (1, -1)
    ]
    assert close(z, (ends[0] - ends[1]) / (2 * h), 1e-6)

    def back(y, a, g):
        slope, J, B = prey(y, P)
        return slope, -J.T @ a, -B.T @ a

    _, a, g = rk4(back, [y, upstream, np.zeros(4)], -T)
    assert close(upstream @ z, a @ dy + g @ s, 1e-5)
    _, before, _ = rk4(back, [y, upstream, np.zeros(4)], -h)
    q = -prey(y, P)[1].T @ upstream
    assert close((upstream - before) / h, q, 1e-4)  # the time derivative of a, at T
    solve = defined.odeint(plain, T)
    found = EAGER.gradients(
        lambda y_0, p: tf.reduce_sum(upstream * solve(y_0, p)), START, P
    )
    assert close(found[0], a, 1e-4) and close(found[1], g, 1e-4)
    assert "jacobian" not in inspect.getsource(defined.odeint)


@says(
    "Growth at a rate: …",
    "At a time …",
    "As an example, …",
    "Its solution has …",
    "From this adjoint, …",
    "`grad` solves three …",
    "`grad` needs `y` …",
    "`a` is 10 …",
    "The backward solution returns …",
    "The state after …",
)
@over(mode=[EAGER], k=[-0.5, 0.5], y_0=[3.0, -2.0])
def test_growth(mode, k, y_0):
    defined = program("ode.py")
    T, k, y_0 = defined.T, np.float64(k), np.float64(y_0)
    found = mode.gradients(defined.grow, y_0, k)
    assert close(found, [np.exp(k * T), T * y_0 * np.exp(k * T)])
    t = 0.7 * T
    _, a = rk4(lambda y, a: (k * y, -k * a), [y_0 * np.exp(k * T), 10.0], t - T)
    assert close(a, 10 * np.exp(k * (T - t)))
    end, start = trace("ode.py").starting("at ")
    assert end["a"] == 10 and round(start["a"], 2) == 27.18
    assert (
        round(start["a"], 4)
        == trace("ode.py").starting("downstream_y_0")[0].numbers[-2]
    )
    assert start["y"] != 3 and close(start["y"], 3.0, 1e-8)
    errors = [
        abs(defined.rk4(lambda y: [y], [1.0], 1.0, n)[0] - np.e) for n in (10, 20, 40)
    ]
    assert 14 < errors[0] / errors[1] < 18 and 14 < errors[1] / errors[2] < 18


@says(
    "Without `once`, the …",
    "`odeint.py` also uses `once`.",
    "Differentiating the gradient …",
    "The gradient function keeps …",
    "To raise an …",
    "The other programs …",
    "Return the gradients; …",
    was="no sentence: the second derivative of y² was silently 532",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, BLOCKS[2]], by=["k", "y_0"])
def test_second_order(mode, by):
    defined = program("ode.py")
    names = defined.grow.__wrapped__.__globals__
    if mode is not EAGER:
        names |= {"T": 0.25, "rk4": functools.partial(defined.rk4, steps=2)}
    T, y_0, k = names["T"], tf.constant(3.0, tf.float64), tf.constant(0.5, tf.float64)

    def square(x):
        return (defined.grow(y_0, x) if by == "k" else defined.grow(x, k)) ** 2

    x = k if by == "k" else y_0
    end = 9 * np.exp(2 * 0.5 * T)
    right = 2 * T * end if by == "k" else end * 2 / 3
    assert close(mode.derivative(square, x, 1), right)
    assert "one derivative only" in message(mode.derivative, square, x)
    if by == "k" and mode is EAGER:
        kept, names["once"] = names["once"], lambda gradients, *_: gradients
        assert round(float(mode.derivative(square, k))) == 532
        names["once"] = kept
        plain = mode.derivative(
            lambda k: defined.rk4(lambda y: [k * y], [y_0], 2.0)[0] ** 2, k
        )
        assert round(float(plain)) == 1064
        having = {
            name: "def once" in source(name)
            for name in (
                "ode.py",
                "odeint.py",
                "fit.py",
                "solution.py",
                "wrong/back.py",
            )
        }
        assert [name for name in having if having[name]] == ["ode.py", "odeint.py"]
        wrong, T = program("solution.py").logistic, tf.constant(2.0, tf.float64)
        found = EAGER.derivative(lambda y: wrong(y, T), tf.constant(0.1, tf.float64))
        g, e = 0.1, np.exp(-2.0)
        assert not close(found, -2 * e * (1 - e) / (g + (1 - g) * e) ** 3)


@says("For second derivatives, …")
def test_second_order_through_the_steps():
    defined = program("ode.py")
    p = tf.constant(P)

    def square(y):
        [end] = defined.rk4(lambda y: [plain(0.0, y, p)], [y], 2.0)
        return tf.reduce_sum(end * end)

    h = 1e-5
    first = [
        EAGER.gradient(square, START + s * h * np.ones(2)).numpy().sum()
        for s in (1, -1)
    ]
    found = EAGER.derivative(square, tf.constant(START)).numpy().sum()
    assert close(found, (first[0] - first[1]) / (2 * h))


@says(
    "`solve = odeint(f, T)` below …",
    "`solve(y_0, p)` returns the …",
    "The prey's growth …",
    "`odeint` passes the …",
    "In the backward pass, the …",
    "If `f` doesn't …",
    "`solver` may be …",
    was="'any equation': f = -y raised TypeError, and f could not take the time",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, XLA], solver=["rk4", "adaptive"])
def test_any_equation(mode, solver):
    odeint, T = program("odeint.py").odeint, 0.5
    if solver == "rk4":
        solver = program("odeint.py").rk4
    else:
        steps, tolerance = adaptive(), np.float64(1e-5)

        def solver(*given):
            return steps(*given, tolerance)[1]

    # dy/dt = p cos(t) y: y = y_0 exp(p sin t)
    start, p = tf.constant([2.0], tf.float64), tf.constant([0.7], tf.float64)
    times = []

    def f(t, y, p):
        times.append(t)
        return p[0] * tf.cos(t) * y

    solve = odeint(f, T, solver)
    right = [np.exp(0.7 * np.sin(T)), 2 * np.sin(T) * np.exp(0.7 * np.sin(T))]
    found = mode.gradients(solve, start, p)
    assert close(np.ravel(found), right, 1e-4)
    if mode is EAGER:
        assert close(np.min(times), 0.0) and close(np.max(times), T)
        numpy = odeint(lambda t, y, p: tf.constant(-y.numpy()), T, solver)
        lost = mode.gradients(numpy, start, p)  # no tape can differentiate it
        assert close(numpy(start, p), 2 * np.exp(-T), 1e-4) and same(lost[0], [1.0])
        assert "TypeError" in message(odeint(f, T, lambda f, y: y), start, p)
    free = odeint(lambda t, y, p: -y, T, solver)
    gradients = mode.gradients(lambda y, p: tf.reduce_sum(free(y, p)), start, p)
    assert close(gradients[0], np.exp(-T), 1e-4) and same(gradients[1], [0.0])
    seasons = program("odeint.py").lotka_volterra
    y, p = tf.constant(START), tf.constant(P)
    moved = seasons(np.float64(1.0), y, p) - seasons(np.float64(0.0), y, p)
    assert moved[0] != 0 and moved[1] == 0


@says(
    "`rk4` in `odeint.py` …",
    "A Python loop …",
    "So the graph …",
    "One loop, so …",
    was="'XLA can take minutes to compile a few of them': 30 steps took seconds",
)
@over(steps=[3, 9])
def test_one_step_is_compiled(steps):
    y, p = tf.constant(START), tf.constant(P)
    loop, unrolled = program("odeint.py").rk4, program("ode.py").rk4

    def size(f):
        graph = tf.function(f).get_concrete_function(y).graph.as_graph_def()
        inner = sum(len(each.node_def) for each in graph.library.function)
        return len(graph.node) + inner

    def looped(steps):
        f = lambda t, y: [plain(t, y, p)]  # noqa: E731
        return lambda y: loop(f, [y], 0.0, 1.0, steps)[-1]

    by_loop, longer = looped(steps), looped(300)

    def by_copies(y):
        return unrolled(lambda y: [plain(0.0, y, p)], [y], 1.0, steps)[-1]

    assert size(by_loop) == size(longer) and size(by_copies) > 150 * steps
    assert close(by_loop(y), by_copies(y))

    def compiled(f):
        """The number of instructions that XLA compiles."""
        made = tf.function(f, jit_compile=True)
        return made.experimental_get_compiler_ir(y)(stage="hlo").count(" = ")

    assert compiled(by_loop) == compiled(longer) < 120 * 3
    assert compiled(by_copies) > 120 * steps
    if steps == 9:
        solve = program("odeint.py").odeint(plain, 1.0)
        found = XLA.gradient(lambda y: solve(y, p), y)
        assert close(found, EAGER.gradient(by_loop, y), 1e-4)


@says("You need `maximum_iterations` …")
@over(limit=[None, 4])
def test_a_tape_through_the_loop(limit):
    def loop(y):
        def step(i, y):
            return i + 1, y + 0.1 * y

        return tf.while_loop(
            lambda i, y: i < 4, step, (0, y), maximum_iterations=limit
        )[1]

    error = raised(XLA.gradient, loop, 1.0)
    assert (error is None) == (limit is not None)


@says(
    "An adaptive solver …",
    "If the error …",
    "The adjoint is solved …",
    "The program prints the …",
    "The reference is …",
    "All errors fall …",
    "At each tolerance, …",
    "The adjoint uses …",
    "A much smaller …",
    "The rest is …",
    "The adjoint is as …",
    "In a run below, at …",
    "Adaptive steps: the …",
    "Bogacki and Shampine's …",
    "The gradients of y …",
)
def test_adaptive():
    rows = np.array([line.numbers for line in trace("adaptive.py")[1:]])
    tolerance, forward, backward, tape, adjoint, fine = rows.T
    assert len(rows) == 5 and np.all(backward > forward)
    for column in (tape, adjoint, fine):
        ratios = column[:-1] / column[1:]
        assert np.all(ratios > 6) and np.all(ratios < 12)
    assert np.all(adjoint < tape)
    gains = adjoint / fine
    assert gains.min() > 2 and gains.max() < 4
    [at] = np.flatnonzero(tolerance == 0.0001)
    assert round(adjoint[at], 4) == 0.0004 and round(tape[at], 3) == 0.001
    counts = []
    for each in (1e-3, 1e-6):
        n, [y] = adaptive()(lambda t, y: [-y], [np.float64(1.0)], 0.0, 2.0, each)
        counts.append(int(n))
        assert abs(y - np.exp(-2.0)) < 5 * each
    assert counts[0] < counts[1]
    n, [y] = adaptive()(lambda t, y: [-50.0 * y], [np.float64(1.0)], 0.0, 2.0, 1e-4)
    used = []
    adaptive()(
        lambda t, y: [used.append(float(t)) or -50.0 * y],
        [np.float64(1.0)],
        0.0,
        2.0,
        1e-4,
    )
    assert len({*used[::4]}) < int(n)  # a step that was refused starts there again


@says(
    "The tape must …",
    "If 3000 steps …",
    "Without the assertion, …",
)
@over(fast=[1.0, 1e5])
def test_too_many_steps(fast):
    solver, y = adaptive(), np.float64(1.0)

    def f(t, y):
        return [tf.cos(fast * t) * fast * 1e-3 + 0.0 * y]

    found = message(tf.function(solver), f, [y], 0.0, 2.0, np.float64(1e-9))
    assert ("too many steps" in found) == (fast > 1)
    assert "maximum_iterations=3000" in source("adaptive.py")
    assert "error = tf.stop_gradient(" in source("adaptive.py")
    if fast > 1:
        names = tf.debugging
        kept, names.assert_equal = names.assert_equal, lambda *_: None
        try:
            n, _ = tf.function(solver)(f, [y], 0.0, 2.0, np.float64(1e-9))
        finally:
            names.assert_equal = kept
        assert n == 3000


# Two gradients.


@says(
    "The adjoint method …",
    "A tape through the solver's …",
    "The tape keeps 16000 …",
    "The adjoint keeps only …",
    "This program counts …",
    "The bytes that …",
    "Bytes that the …",
    "Use the tape for …",
    "Use the adjoint if memory …",
    "Use the adjoint if there …",
)
@over(rule=[True, False], T=[1.0])
def test_what_is_kept(rule, T):
    kept = {
        line.text.split()[0]: np.array(line.numbers[-3:]) for line in trace("memory.py")
    }
    assert same(kept["tape"] / [4, 8, 16], [16000.0] * 3)
    assert same(kept["adjoint"], [4000] * 3) and 16000 / 4000 == 4
    assert program("memory.py").kept(program("memory.py").through, 1) == 16000
    defined = program("ode.py")
    y_0, k = tf.constant(3.0, tf.float64), tf.constant(0.5, tf.float64)
    with tf.Graph().as_default() as graph, tf.GradientTape() as tape:
        y_0, k = tf.constant(y_0.numpy()), tf.constant(k.numpy())
        tape.watch(y_0)
        if rule:
            y = defined.grow(y_0, k)
        else:
            [y] = defined.rk4(lambda y: [tf.sin(k * y)], [y_0], T)
        made = graph.get_operations()
        tape.gradient(y, y_0)
    read = {
        each.name
        for op in graph.get_operations()[len(made) :]
        for each in op.inputs
        if each.op in made and each.op.inputs
    }
    steps = inspect.signature(defined.rk4).parameters["steps"].default
    assert len(read) < steps if rule else len(read) >= steps


@says(
    "A tape through the steps computes …",
    "The adjoint equation …",
    "The two methods …",
    "With few steps, …",
    "So a check …",
    "Two gradients of …",
    "Through the steps, …",
    "Three lines fall …",
    "The error of the gradient …",
    "Relative error of …",
)
@over(steps=[4, 8])
def test_two_gradients(steps):
    upstream, T, h = np.array([1.0, 10.0]), 2.0, 1e-6

    def end(y_0, steps):
        return rk4(lambda y: [prey(y, P)[0]], [y_0], T, steps)[0]

    def slopes(steps):
        moved = [
            end(START + h * s, steps) - end(START - h * s, steps) for s in np.eye(2)
        ]
        return np.array([upstream @ each / (2 * h) for each in moved])

    def adjoint(steps):
        def back(y, a):
            slope, J, _ = prey(y, P)
            return slope, -J.T @ a

        return rk4(back, [end(START, steps), upstream], -T, steps)[1]

    def f(y):
        meet = y[0] * y[1]
        return tf.stack([P[0] * y[0] - P[1] * meet, P[2] * meet - P[3] * y[1]])

    def through(y_0):
        [y] = rk4(lambda y: [f(y)], [y_0], T, steps)
        return tf.reduce_sum(upstream * y)

    discrete = EAGER.gradient(through, START)
    assert close(discrete, slopes(steps), 1e-7)
    off, half = (np.abs(adjoint(n) - slopes(n)).max() for n in (steps, 2 * steps))
    assert off > 1e-4 and 8 < off / half < 40
    assert not close(adjoint(steps), slopes(steps))
    assert close(adjoint(100), slopes(100))
    lines = trace("adjoints.py")[1:]
    for line in lines[:3]:
        few, many = line.numbers
        assert 50 < few / many < 1000
    assert lines[3].text.count("below") == 2


# The fit.


@says(
    "A fit has …",
    "The program calls `segment` …",
    "In the backward pass, each count …",
    "The loss falls …",
    "Lotka and Volterra's …",
    "From one count …",
    "Prey and predators …",
    "Dotted lines, the …",
    "Solid lines, the …",
)
def test_the_fit():
    lines = trace("fit.py")
    assert lines[0].text.startswith("24 counts")
    losses = [line.numbers[1] for line in lines.starting("step")]
    assert round(losses[0], 2) == 2.25 and round(losses[-1], 4) == 0.0044
    *_, last, true = lines
    assert np.abs(np.subtract(last.numbers[-6:], true.numbers[-6:])).max() < 0.03
    way = [START]
    for _ in range(24):
        way += rk4(lambda y: [prey(y, P)[0]], [way[-1]], 0.5, 4)
    turns = np.diff(np.sign(np.diff(way, axis=0)), axis=0)
    assert np.all(np.count_nonzero(turns, axis=0) >= 3)


@says(
    "In `grad`, `tf.identity` …",
    "`backward` copies the …",
    "a tensor of …",
)
@over(mode=[INSIDE, AROUND])
def test_a_tape_in_a_loop(mode):
    seen = []

    @tf.custom_gradient
    def times(y, p):
        def grad(upstream):
            own = tf.identity(p)
            with tf.GradientTape() as tape:
                tape.watch([y, own])
                slope = y * own
            seen.append(own.graph is tf.compat.v1.get_default_graph())
            return tape.gradient(slope, [y, own], upstream)

        return y * p, grad

    def loop(p):
        return tf.scan(lambda y, _: times(y, p), tf.range(3), tf.constant(1.0))[-1]

    assert same(mode.gradient(loop, 2.0), 12.0)
    assert seen and all(seen)


@says(
    "In `odeint.py`, the finite …",
    "The gradients agree …",
    "The figure shows that …",
)
def test_the_check():
    lines = trace("odeint.py")
    for rule, differences in ((lines[1], lines[2]), (lines[3], lines[4])):
        a, b = (np.array(line.numbers[-4:]) for line in (rule, differences))
        a, b = (x[-2:] if "y_0" in rule.text else x for x in (a, b))
        assert np.allclose(a, b, 1e-4) and not np.allclose(a, b, 1e-5)
    steps = inspect.signature(program("odeint.py").rk4).parameters["steps"]
    assert steps.default == 20
    few, many = next(
        line.numbers
        for line in trace("adjoints.py")
        if line.text.startswith("adjoint, of the solution")
    )
    assert many < few / 100


# Where it breaks.


@says(
    "The adjoint fails …",
    "In a run below, solving …",
    "If the state settles, you …",
    "Forward in time, …",
    "Backward in time, …",
    "With $T = 8$ …",
    "The fix is to …",
    "The tape keeps the end …",
    "Deliberately wrong: a …",
)
@over(pieces=[1, 4, 8])
def test_settling(pieces):
    T, steps, k = 8.0 / pieces, 240 // pieces, 10.0

    def end(k, y=0.2, steps=steps):
        for _ in range(pieces):
            [y] = rk4(lambda y: [1 - k * y**3], [y], T, steps)
        return y

    assert abs(end(k, 0.2) - end(k, 0.3)) < 1e-9  # starts run together
    ends = [0.2]
    for _ in range(pieces):
        ends.append(*rk4(lambda y: [1 - k * y**3], [ends[-1]], T, steps))

    def back(y, a, g):
        return 1 - k * y**3, 3 * k * y * y * a, y**3 * a

    a, g = np.float64(1.0), np.float64(0.0)
    with np.errstate(all="ignore"):
        for y in reversed(ends[1:]):
            start, a, g = rk4(back, [np.float64(y), a, g], -T, steps)
    right = (end(k + 1e-6) - end(k - 1e-6)) / 2e-6
    assert round(right, 5) == -0.01547
    assert np.isnan(g) if pieces == 1 else abs(start - 0.2) < 0.01
    assert pieces == 1 or abs(g - right) < 1e-5
    lines = trace("wrong/back.py")
    assert "-inf" in lines[-2].text and "nan" in lines[-1].text
    assert lines[-1].numbers[-1] == -0.01547 and lines[-2]["start"] == 0.2


@says(
    "The gradient function captures …",
    "If the parameters aren't …",
    "If they are …",
)
@over(variable=[True, False])
def test_closed_over(variable):
    p = tf.Variable(2.0) if variable else tf.constant(2.0)
    rule = tf.custom_gradient(lambda y: (y * p, lambda upstream: upstream * p))
    y = tf.constant(3.0)

    def gradient():
        with tf.GradientTape() as tape:
            tape.watch([y, p])
            end = rule(y)
        return tape.gradient(end, p)

    if variable:
        assert "'variables'" in message(gradient)
    else:
        assert gradient() is None


@says(
    "If $T$ grows …",
    "The solution from a …",
    "At the end, the …",
    "And what is …",
    "You can find …",
    "Both gradients agree …",
    "So the gradient with …",
    "The gradient with …",
)
@over(mode=[EAGER], y_0=[0.1, 0.7], T=[0.5, 2.0])
def test_the_solution(mode, y_0, T):
    y_0, T = np.float64(y_0), np.float64(T)
    growth = (1 / y_0 - 1) * np.exp(-T)
    y = 1 / (1 + growth)
    by_start = np.exp(-T) / (y_0 * (1 + growth)) ** 2
    found = mode.gradients(program("solution.py").logistic, y_0, T)
    assert close(found, [by_start, y * (1 - y)])
    assert close(by_start, y * (1 - y) / (y_0 * (1 - y_0)))
    for line in trace("solution.py"):
        assert len(line.numbers) >= 2 and same(line.numbers[-2], line.numbers[-1])


pointer(
    "The program that …",
    "The types and …",
    "The figure shows how …",
)
advice(
    "You need the …",
    "Write a program …",
    "Compare `a` at …",
    "Compare the start …",
    "Use the tape through …",
    "You have enough …",
    "You need second …",
    "The state settles, …",
    "Checkpoints are a …",
)
