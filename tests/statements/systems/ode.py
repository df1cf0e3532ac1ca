"""What the page on differential equations says in words."""

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


START, P = np.array([1.0, 0.5]), np.array([1.1, 0.9, 0.8, 1.0])


# The derivation.


@says(
    "From a start …",
    "On the way …",
    "Small changes of …",
    "Its slope $v$ …",
    "Let $a$ be …",
    "The pairing at …",
    "So the gradient …",
    "A tape gives …",
    "Here with prey …",
    "A rule for …",
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
    solve = defined.odeint(defined.lotka_volterra, T)
    found = EAGER.gradients(
        lambda y_0, p: tf.reduce_sum(upstream * solve(y_0, p)), START, P
    )
    assert close(found[0], a, 1e-4) and close(found[1], g, 1e-4)
    assert "jacobian" not in inspect.getsource(defined.odeint)


@says(
    "For growth at …",
    "Both gradients follow:",
    "Three things are …",
    "`a` is 10 …",
    "The state comes …",
    "Growth at a …",
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
    assert start["y"] != 3 and close(start["y"], 3.0, 1e-8)
    errors = [
        abs(defined.rk4(lambda y: [y], [1.0], 1.0, n)[0] - np.e) for n in (10, 20, 40)
    ]
    assert 14 < errors[0] / errors[1] < 18 and 14 < errors[1] / errors[2] < 18


# Two gradients.


@says(
    "A tape through a …",
    "The gradient of …",
)
@over(rule=[True, False], T=[1.0])
def test_what_is_kept(rule, T):
    defined = program("odeint.py")
    solve = defined.odeint(defined.lotka_volterra, T)
    with tf.Graph().as_default() as graph, tf.GradientTape() as tape:
        y_0, p = tf.constant(START), tf.constant(P)
        tape.watch(y_0)
        if rule:
            y = solve(y_0, p)
        else:
            [y] = defined.rk4(lambda y: [defined.lotka_volterra(y, p)], [y_0], T)
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
    "A tape through the …",
    "The adjoint equation …",
    "They are two gradients:",
    "With few steps …",
    "So a check …",
    "Two gradients of …",
    "Through the steps, …",
    "Three lines fall …",
    "The gradient through …",
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
    "Counts of prey …",
    "Each stretch between …",
    "Lotka and Volterra's …",
    "From one count …",
    "Prey and predators …",
    "Dotted lines, where …",
    "Solid lines, where …",
)
def test_the_fit():
    lines = trace("fit.py")
    assert lines[0].text.startswith("24 counts")
    losses = [line.numbers[1] for line in lines.starting("step")]
    assert losses[0] > 1 and losses[-1] < 0.01
    way = [START]
    for _ in range(24):
        way += rk4(lambda y: [prey(y, P)[0]], [way[-1]], 0.5, 4)
    turns = np.diff(np.sign(np.diff(way, axis=0)), axis=0)
    assert np.all(np.count_nonzero(turns, axis=0) >= 3)


@says("In `grad` the …")
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
    "The differences of …",
    "The same rule …",
)
def test_the_check():
    lines = trace("odeint.py")
    for rule, differences in ((lines[1], lines[2]), (lines[3], lines[4])):
        a, b = (np.array(line.numbers[-4:]) for line in (rule, differences))
        a, b = (x[-2:] if "y_0" in rule.text else x for x in (a, b))
        assert np.allclose(a, b, 1e-4) and np.any(a != b)
    steps = inspect.signature(program("odeint.py").rk4).parameters["steps"]
    assert steps.default == 20


# Where it breaks.


@says(
    "But the recipe …",
    "A state that …",
    "Forward, all starts …",
    "Cut the way …",
    "Wrong on purpose: …",
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
    "The parameters are …",
    "Then they get …",
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
    "A little more …",
    "A start that …",
    "The gradient by …",
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


pointer(
    "This page derives …",
    "The program that …",
    "In types:",
)
advice(
    "You need the …",
    "Write both for …",
)
