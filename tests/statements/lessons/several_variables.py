"""What the page on several variables says in words."""

from truth.statements.tries import *

X, Y = 2.0, 3.0
ONE = "expected to return 2 gradients, but returned 1 instead."


def product(rule):
    """x y; its rule is given upstream, x and y."""

    @tf.custom_gradient
    def product(x, y):
        x, y = tf.identity(x), tf.identity(y)  # or a branch raises
        return x * y, lambda upstream: rule(upstream, x, y)

    return product


RIGHT = product(lambda u, x, y: (u * y, u * x))
SWAPPED = product(lambda u, x, y: (u * x, u * y))
TOO_FEW = product(lambda u, x, y: u * y)
TOO_MANY = product(lambda u, x, y: (u * y, u * x, u))


def both_orders(x, y, z, w):
    return RIGHT(x, y) + SWAPPED(z, w)


@says(
    "The main fact: …",
    "For $z = x y$, …",
    "In code: `return …",
    "Returning them in …",
    "At $(2, 3)$ the gradients …",
    "Both gradients are …",
    "At $(2, 3)$ the right …",
    "At $(3, 3)$ …",
    "The first parameter …",
    "Deliberately wrong: right …",
)
@over(mode=COMMON)
def test_the_order(mode):
    found = mode.gradients(both_orders, X, Y, X, Y)
    assert same(found[:2], [3.0, 2.0]) and same(found[2:], [2.0, 3.0])
    found = mode.gradients(both_orders, 3.0, 3.0, 3.0, 3.0)
    assert same(found[:2], found[2:])
    if mode is EAGER:
        raises = {raised(mode.gradients, SWAPPED, *at) for at in ((X, Y), (Y, Y))}
        assert raises == {None}


@says(
    "Returning only one …",
    "In eager mode the message …",
    "`grad` must return …",
    "In the next program the tape watches …",
    "In eager mode the call …",
    "Deliberately wrong: two inputs …",
    was="no mode was named: around a tf.function the forward call raises",
)
@over(graph=[None, {}, {"jit_compile": True}])
def test_too_few(graph):
    run = TOO_FEW if graph is None else tf.function(TOO_FEW, **graph)
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch(x)
        said = message(run, x, y)
        z = TOO_FEW(x, y)
    assert bool(said) == (graph is not None)
    assert ONE in message(tape.gradient, z, x)


@says(
    "With the tape inside …",
    "Both messages also …",
)
@over(mode=[INSIDE, XLA])
def test_the_count_inside(mode):
    few, many = (message(mode.gradients, f, X, Y) for f in (TOO_FEW, TOO_MANY))
    assert few.strip().endswith("too few gradients. Expected 3 but received 2")
    expected, received = [int(n) for n in few.split() if n.isdigit()][-2:]
    assert expected == 3 and received == 2
    assert (expected - 2, received - 1) == (1, 1)  # eagerly 2 and 1
    assert many.strip().endswith("too few gradients. Expected 3 but received 4")
    assert "in user code" in few and raised(mode.gradients, RIGHT, X, Y) is None


@says(
    "With the tape outside …",
    "Both messages also …",
)
@over(mode=[AROUND, AROUND_XLA, SYMBOLIC])
def test_the_count_outside(mode):
    for rule, count in ((TOO_FEW, 2), (TOO_MANY, 4)):
        said = message(mode.gradients, rule, X, Y)
        assert f'Num gradients {count} generated for op name: "IdentityN"' in said
        assert "do not match num inputs 3" in said


@says(
    "The differential has …",
    "There is one …",
    "It tells you …",
    "That is why …",
    "The gradient function receives …",
    "It returns one …",
    "Each downstream gradient …",
    "The factor in front …",
    "The type of …",
    "Two scalars go in, …",
)
@over(mode=MODES, x=numbers(-9, 9), y=numbers(-9, 9), c=numbers(-9, 9))
def test_the_rule(mode, x, y, c):
    seen = []
    noted = product(
        lambda *each: seen.append(each) or (each[0] * each[2], each[0] * each[1])
    )
    dx, dy = mode.gradients(noted, x, y, loss=lambda z: c * z)
    assert (
        np.allclose([dx, dy], [c * y, c * x], 1e-5, 1e-30)
        and dx.shape == dy.shape == ()
    )
    assert len(seen) == 1 and len(seen[0]) == 3


@says(
    "The trace shows …",
    "The two lines …",
    "To $x$: here …",
    "The local derivative is $\\local{y} = 3$, …",
    "To $y$: the …",
    "The local derivative is $\\local{x} = 2$, …",
    r"Forward: $z = 2 \cdot 3 = 6$.",
    "Two inputs, two …",
)
def test_the_trace():
    forward, to_x, to_y, _ = trace("several_variables.py")
    assert (forward["z"], to_x["upstream"], to_x["local"], to_x["downstream"]) == (
        6,
        1,
        3,
        3,
    )
    assert (to_y["upstream"], to_y["local"], to_y["downstream"]) == (1, 2, 2)
    assert "to x" in to_x.text and "to y" in to_y.text


@says(
    "You choose this …",
    "`tape.gradient(z, [x, y])` …",
    "You choose this …",
)
@over(order=[(0, 1), (1, 0)])
def test_the_order_of_the_question(order):
    inputs = tf.constant(X), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        z = RIGHT(*inputs)
    found = tape.gradient(z, [inputs[i] for i in order])
    assert isinstance(found, list) and same(found, [[3.0, 2.0][i] for i in order])


@says(
    "A second call …",
    "A tape that …",
    "A persistent tape keeps …",
    "One call with a list runs …",
    "On the persistent …",
    "The second call raises …",
    "This mistake has …",
    "Here `tape.gradient` is …",
    "Deliberately wrong: two calls …",
    "One call with a list, …",
    was="'A tape answers once': a persistent one does not",
)
@over(persistent=[False, True], rule=[True, False])
def test_asked_twice(persistent, rule):
    seen = []
    noted = (
        product(lambda u, x, y: seen.append(u) or (u * y, u * x))
        if rule
        else tf.multiply
    )
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch([x, y])
        z = noted(x, y)
    assert same(tape.gradient(z, [x, y]), [3.0, 2.0]) and len(seen) == rule
    assert (raised(tape.gradient, z, y) is None) == persistent
    assert len(seen) == rule * (1 + persistent)


@says("Prefer the list, …")
@over(persistent=[False, True])
def test_what_a_tape_holds(persistent):
    import weakref

    x = tf.ones(1000)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        middle = tf.exp(x)
        z = tf.square(middle)
    kept = weakref.ref(middle)
    del middle
    tape.gradient(z, x)
    assert (kept() is not None) == persistent
    del tape
    assert kept() is None


@says(
    "The tape records …",
    "`tape.gradient` follows …",
    "If no path …",
    "`x` wasn't …",
    "There is no path, …",
    "Here the true …",
    "`flat` multiplies …",
    "A path leads …",
    "Compare four cases: …",
    "A gradient of `None` …",
    "`None` doesn't mean …",
    "So `None` doesn't …",
    "In each case …",
    "You also get …",
    "No recorded path …",
    was="'None means that no connection is recorded': a gradient function can return it",
)
@over(mode=MODES)
def test_none_and_zero(mode):
    returns_none = product(lambda u, x, y: (u * y, None))
    assert same(mode.gradients(RIGHT, X, Y)[1], 2.0)  # the connection is recorded
    assert mode.gradients(returns_none, X, Y)[1] is None
    assert mode.gradients(lambda x, y: 1.0 * x, X, Y)[1] is None
    assert same(mode.gradients(lambda x, y: x + 0.0 * y, X, Y)[1], 0.0)
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = 1.0 * x
    zero = tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert same(zero, 0.0)


@says(
    "On the second …",
    "Again there is …",
    "But $\\partial z …",
    "The tape watches a variable …",
    "A variable that …",
)
@over(trainable=[None, True, False])
def test_what_is_watched(trainable):
    y = tf.constant(Y) if trainable is None else tf.Variable(Y, trainable=trainable)
    assert tf.Variable(Y).trainable
    with tf.GradientTape(persistent=True) as tape:
        z = tf.constant(X) * y
    found = tape.gradient(z, y)
    assert same(found, 2.0) if trainable else found is None
    zero = tape.gradient(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert same(zero, 2.0 if trainable else 0.0)


@says(
    "The loss is $L …",
    "It contains two …",
    "For the outer …",
    "For the inner …",
    "Both calls of …",
)
@over(x=numbers(0.5, 2), y=numbers(0.5, 2))
def test_the_rule_runs_twice(x, y):
    seen = []
    noted = product(lambda u, x, y: seen.append(u) or (u * y, u * x))
    dx, dy = EAGER.gradients(lambda x, y: tf.sin(noted(x, noted(x, y))), x, y)
    cosine = np.cos(x * x * y)
    assert np.allclose(seen, [cosine, x * cosine], 1e-4, 1e-5) and len(seen) == 2
    assert np.allclose([dx, dy], [2 * x * y * cosine, x * x * cosine], 1e-4, 1e-5)


@says(
    "The program compares …",
    "It uses float64, …",
    "The three columns …",
    "At the first …",
    "The custom gradient of …",
)
def test_the_check():
    lines = trace("check.py")
    for line in lines:
        assert (
            "dL" not in line.text
            or line["custom"] == line["autodiff"] == line["differences"]
        )
    found = [line["custom"] for line in lines[1:3]]
    assert found == [10.126248, 3.375416] == [round(n * np.cos(12), 6) for n in (12, 4)]


@says(
    "The upstream gradient from …",
    "At $(3, 2)$ …",
    "The differential of …",
    "Which of the …",
    "Solution: the gradient …",
)
def test_the_solution():
    forward, to_x, to_y, *_ = trace("solution.py")
    downstream = [to_x["downstream"], to_y["downstream"]]
    assert len(downstream) == 2 and downstream[0] > 0 > downstream[1]
    assert forward["z"] == 1.5 and to_x["upstream"] == to_y["upstream"] == 3
    assert (to_x["local"], to_x["downstream"], to_y["local"], to_y["downstream"]) == (
        0.5,
        1.5,
        -0.75,
        -2.25,
    )


definition(
    "A bar marks …",
    "Here $y$ is …",
)
advice(
    "You need to …",
    "You also need …",
    "Call `tape.gradient(z, [x, y])` …",
    "In the output, …",
    "Find out why …",
    "The fix is to return both …",
    "For an input …",
    "Look at the …",
    "Test at a point …",
    "The fix is to return the …",
    "Pass a list, …",
    "Make two quick …",
    "Derive the gradient …",
    "Then use the …",
    "Predict the upstream …",
)
pointer(
    "The wrong number …",
    "After this lesson …",
)


@says(
    "The upstream gradient is 10, …",
    "The loss is `10.0 …",
    "The tape returns 6.",
    "Predict: the same tensor twice.",
    "Each of the two inputs …",
)
@over(mode=COMMON)
def test_the_predictions(mode):
    *found, twice = mode.gradients(
        lambda x, y, z: 10.0 * RIGHT(x, y) + RIGHT(z, z), X, Y, 3.0
    )
    assert same(found, [30.0, 20.0]) and same(twice, 6.0)
    if mode is EAGER:
        one, two = mode.gradients(RIGHT, 3.0, 3.0)
        assert same(one, 3.0) and same(one + two, 6.0)
