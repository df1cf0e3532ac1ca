"""What the page on forward mode and batching says in words."""

import functools

from truth.statements.tries import *

X = np.float64([1.0, 0.5])
PAIR = np.float32([0.25, 2.0])
AT = ["around", "nested"]
"""In the names of the forward modes with a graph around the function."""


# How it is made.


@says(
    "A rule computes a vector–Jacobian product.",
    "Forward mode wants a Jacobian–vector product, and TensorFlow takes it from the backward pass.",
    "Why that works, for a function that multiplies $x$ by $W$ and takes the cube of each result $s_i$:",
    "Of the rule, as a function of upstream $u$.",
    "Its value $a$ has the shape of $x$:",
    "Only $u$ moves.",
    "The map is linear in it, so that its slope is the same at every $u$:",
    "Pair it with the upstream gradient of $a$, which has the shape of $x$:",
    "With $\\d x$ for $\\upstream{\\bar a}$ this is the change of $y$ along $\\d x$.",
    "The gradient of the gradient by upstream is the transpose of the transpose.",
    "A Jacobian-vector product from a rule: the backward pass, transposed.",
)
@over(u=arrays((3,), st.floats(-3, 3, width=32)), dx=arrays((2,), st.floats(-3, 3)))
def test_transposing(u, dx):
    defined = program("transpose.py")
    W, s = defined.W.numpy(), defined.W.numpy() @ X
    J = np.diag(3 * s**2) @ W
    u, dx = tf.constant(u, tf.float64), tf.constant(dx, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(u)
        with tf.GradientTape() as inner:
            x = tf.constant(X)
            inner.watch(x)
            y = defined.cubes(x)
        a = inner.gradient(y, x, output_gradients=u)
    assert a.shape == x.shape and np.allclose(a, J.T @ u.numpy())
    assert np.allclose(outer.gradient(a, u, output_gradients=dx), J @ dx.numpy())
    _, dy = defined.by_transposing(defined.cubes, x, dx)
    assert np.allclose(dy, J @ dx.numpy())
    assert np.allclose(defined.by_hand(defined.W, x, dx), J @ dx.numpy())


@says("TensorFlow does this with each operation, at an upstream of ones.")
def test_at_ones():
    asked = []

    @tf.custom_gradient
    def rule(x):
        return tf.round(x), lambda u: asked.append(u) or tf.minimum(u, 2.0) * u

    found = FORWARDS[0].jvp(rule, PAIR)
    assert asked and same(found, 2 + 0 * PAIR)  # the slope of u², at 1


@says(
    "The first row is the rule at ones.",
    "Its value is not used.",
    "The second is its slope by upstream, paired with $\\d x = (1, -1)$: three numbers, in the shape of $y$.",
    "The accumulator has the plain function, and agrees; so does the formula.",
)
def test_the_trace():
    first, *others = trace("transpose.py")
    defined = program("transpose.py")
    W = defined.W.numpy()
    s = W @ X
    assert first.numbers == [*(W.T @ (3 * s**2))]
    right = [*(3 * s**2 * (W @ [1.0, -1.0]))]
    assert len(right) == 3 and [each.numbers for each in others] == [right] * 3


# Whose slope.

RULES = ["identity", "rounded", "limited"]


@says(
    "Three rules that are no derivatives: two say 10 where the forward pass has the slopes 1 and 0, and one limits upstream to 0.5.",
    "Around a `tf.function` the whole graph is one operation.",
    "Its backward pass is transposed, and that has the rule.",
    "Elsewhere the operations of the forward pass have carried the direction to the output already, and their answer stays: 1.",
    "A rounding carries nothing.",
    "In eager mode the rule is transposed instead; in a graph the answer is 0.",
    "`limited` is not linear in upstream.",
    "At ones it is beyond its limit, where its slope is 0.",
    "Whose slope forward mode takes: of rules that say 10 on purpose.",
)
@over(forward=FORWARDS, name=RULES)
def test_whose(forward, name):
    rule, x = getattr(program("accumulators.py"), name), 2.0
    if any(word in forward.name for word in AT):
        right = {"identity": 10, "rounded": 10, "limited": 0}[name]
    elif name == "rounded":
        right = 10 if forward is FORWARDS[0] else 0
    else:
        right = 1
    assert same(forward.jvp(rule, x), float(right))
    reverse = {"identity": 10.0, "rounded": 10.0, "limited": 0.5}[name]
    assert same(EAGER.gradient(rule, x), reverse)


@says(
    "`by_transposing` always asks the rule.",
    "An accumulator does not.",
    "So does `by_transposing`, which needs no accumulator.",
)
@over(mode={"eager": None, "inside": {}, "XLA": {"jit_compile": True}}, around=[0, 1])
def test_by_transposing(mode, around):
    for name in ("identity", "rounded"):
        rule = getattr(program("accumulators.py"), name)
        rule = tf.function(rule, autograph=False) if around else rule
        run = functools.partial(program("transpose.py").by_transposing, rule)
        graph = run if mode is None else tf.function(run, autograph=False, **mode)
        assert same(graph(tf.constant(PAIR), tf.constant(PAIR))[1], 10 * PAIR)
    identity = program("accumulators.py").identity
    assert same(FORWARDS[0].jvp(identity, 2.0), 1.0)


@says(
    "There, and where a rule is a decision that is linear in upstream, a `tf.function` around the rule alone is the switch: with it forward mode takes the rule, eagerly and inside of other graphs."
)
@over(forward=[FORWARDS[0], FORWARDS[1], FORWARDS[4]], name=["identity", "rounded"])
def test_switch(forward, name):
    rule = getattr(program("accumulators.py"), name)
    alone = tf.function(rule, autograph=False)
    assert same(forward.jvp(alone, 2.0), 10.0)
    assert same(forward.jvp(lambda x: 3.0 * alone(5.0 * x) ** 2, 2.0), 3000.0)
    plain = forward.jvp(rule, 2.0)
    assert name == "rounded" or same(plain, 1.0)


@says(
    "Where a rule is the derivative, and the operations of its forward pass have theirs, all of them agree."
)
@over(forward=FORWARDS)
def test_derivative(forward):
    cubes = program("columns.py").cubes
    W = program("columns.py").W.numpy()
    right = 3 * (W @ X) ** 2 * (W @ [1.0, 1.0])
    assert np.allclose(forward.jvp(cubes, X), right)


@says(
    "A solver with stopped inputs has none, and inside of a graph its slope is 0, without a word.",
    "There, and where a rule is a decision that is linear in upstream, a `tf.function` around the rule alone is the switch: with it forward mode takes the rule, eagerly and inside of other graphs.",
)
@over(forward=[FORWARDS[1], FORWARDS[4]])
def test_stopped(forward):
    @tf.custom_gradient
    def root(z):
        y = tf.sqrt(tf.stop_gradient(z))
        return y, lambda upstream: upstream / (2.0 * y)

    alone = tf.function(root, autograph=False)
    assert same(forward.jvp(root, 4.0), 0.0)
    for each in (forward, FORWARDS[0], FORWARDS[2]):
        assert same(each.jvp(alone, 4.0), 0.25)


# Forward over forward.


@says(
    "A second derivative by two accumulators, of $m \\cdot m \\cdot m$, where the first product has a rule, and where it has none:",
    "Two accumulators in eager mode say 2.4 where 4.2 is right, with a rule as without: a bug.",
    "Make one of them a tape, or trace both.",
    "Forward over forward, through a rule and without one, and other orders.",
)
@over(
    name=["plain", "with_rule"],
    order=[("forward", "forward"), ("forward", "tape"), ("tape", "forward")],
)
def test_forward_over_forward(name, order):
    defined, x = program("nested.py"), tf.constant(0.7, tf.float64)
    outer, inner = (getattr(defined, each) for each in order)
    second = outer(inner(getattr(defined, name)))
    eager = float(second(x))
    assert np.isclose(eager, 4.2) != (order == ("forward", "forward"))
    assert eager == 4.2 or np.isclose(eager, 2.4) or np.isclose(eager, 4.2)
    assert np.isclose(tf.function(second, autograph=False)(x), 4.2)
    for line in trace("nested.py")[1:]:
        assert line["tf.function"] == 4.2 and line["eager"] in (2.4, 4.2)


# Maps.


@says(
    "A rule turns a gradient around.",
    "It is right for one example, and a test of it passes.",
    "Then the function is mapped over a batch by `tf.vectorized_map`, and the gradient is 1 where −1 is right: the rule is not called, in any mode, and nothing is said.",
    "Push a direction forward through the same function, and the slope is 1 in eager mode and −1 around a `tf.function`.",
    "`tf.vectorized_map` drops a rule on what is mapped, if the tape is outside.",
    "The conversion leaves the operations of the forward pass, and a tape differentiates these.",
    "`tf.vectorized_map` does not convert a batch of one, and keeps its rule:",
    "A test with one example.",
    "Wrong on purpose: a test with one example sees a rule that two have not.",
)
@over(mode=[EAGER, INSIDE, AROUND, NESTED, XLA, SYMBOLIC], many=[1, 2])
def test_dropped(mode, many):
    defined, x = program("wrong/batch_of_one.py"), np.ones(many, np.float32)
    right = -1.0 if many == 1 else 1.0
    assert same(mode.gradient(defined.mapped, x), right + 0 * x)
    assert same(mode.gradient(defined.reverse, x), -1 + 0 * x)
    calls = []

    @tf.custom_gradient
    def counted(x):
        return tf.identity(x), lambda u: calls.append(u) or -u

    mode.gradient(lambda x: tf.vectorized_map(counted, x), x)
    assert bool(calls) == (many == 1)
    first = [each.jvp(defined.reverse, 3.0) for each in (FORWARDS[0], FORWARDS[2])]
    assert same(first, [1.0, -1.0])


@says(
    "`tf.vectorized_map`, `tape.jacobian` and `tape.batch_jacobian` run a function for all examples at once: they trace it, and convert operation by operation.",
    "What happens to a rule depends on where the tape stands.",
    "10 is the rule's, eagerly and in a `tf.function`:",
    "A `tf.function` around the rule does not help.",
    "With the tape inside, the backward pass is traced before it is converted, and has the rule in it.",
    "Jacobians differentiate a forward pass that is not converted.",
    "They keep the rule, with the vectorization and without.",
    "`tf.map_fn` and `tf.while_loop` keep it.",
    "Who keeps a rule: 10 is the rule's, 1 and 0 those of the forward pass.",
)
@over(name=["identity", "rounded"])
def test_who(name):
    defined = program("who.py")
    rule = getattr(defined, name)
    for way, run in defined.ways.items():
        found = np.max(tf.convert_to_tensor(run(rule, tf.constant(PAIR))))
        dropped = way in ("tf.vectorized_map", "  of a tf.function")
        right = {"identity": 1.0, "rounded": 0.0}[name] if dropped else 10.0
        assert found == right, way
        [line] = [
            each for each in trace("who.py") if each.text.startswith(f"{way:20}  ")
        ][:1]
        assert line.numbers[:2] in ([1, 1], [10, 10])
    for line in trace("who.py"):
        assert line.numbers in ([10.0] * 4, [1.0, 1.0, 0.0, 0.0])


@says(
    "A rule around `tf.numpy_function` gets 0 from `tf.vectorized_map`: no other operation there has a slope."
)
@over(mode=[EAGER, INSIDE, AROUND])
def test_outside(mode):
    def outside(x):
        y = tf.numpy_function(lambda x: 2 * x, [x], x.dtype)
        y.set_shape(x.shape)
        return y, lambda upstream: 2.0 * upstream

    rule = tf.custom_gradient(outside)

    def mapped(x):
        return tf.vectorized_map(rule, x)

    assert same(mode.gradient(rule, PAIR), [2.0, 2.0])
    assert same(mode.gradient(mapped, PAIR), [0.0, 0.0])


@says(
    "So a gradient for each example has three right ways.",
    "Here a rule clips the upstream of each row to 1:",
    "The rows −1.5 and −2.5 are clipped to −1, and the third is not.",
    "One gradient for the whole batch would be their sum.",
    "One gradient for each example, clipped by a rule: three ways, one answer.",
)
def test_per_example():
    defined = program("per_example.py")
    upstream, *found = trace("per_example.py")
    assert upstream.numbers == [-1.5, -2.5, 0.25]
    X, clipped = defined.X.numpy(), np.clip(upstream.numbers, -1, 1)
    assert [*clipped] == [-1, -1, 0.25]
    right = clipped[:, None] * X
    assert len(found) == 3
    for line in found:
        assert same(line.numbers, [*right.ravel()])
    with tf.GradientTape() as tape:
        tape.watch(defined.w)
        y = defined.loss(defined.X, defined.w)
    assert same(tape.gradient(y, defined.w), right.sum(0), 1e-6)


@says(
    "No row has the rule's 10 for `identity`: forward mode takes the operations here as well.",
    "In a `tf.function`, forward mode of `tf.map_fn` raises.",
    "Forward mode through `tf.map_fn`, in a graph.",
    "Put the accumulator into the map:",
    "Forward mode and a map, one in the other: whose slope it is.",
    "Wrong on purpose: forward mode through tf.map_fn in a tf.function.",
)
@over(graph=[False, True])
def test_forward_and_maps(graph):
    defined = program("maps.py")
    for way, run in defined.ways.items():
        one = functools.partial(run, defined.identity)
        called = tf.function(one, autograph=False) if graph else one
        if graph and way == "forward of tf.map_fn":
            assert raised(called, tf.constant(PAIR)) is not None
        else:
            assert same(called(tf.constant(PAIR)), 1 + 0 * PAIR)
    for line in trace("maps.py").starting("identity"):
        assert line["eager"] == 1 and line["tf.function"] in (1, "TypeError")
    slope = program("wrong/mapped.py").slope
    assert same(slope(tf.constant([3.0, 5.0])), [6.0, 10.0])
    inside = tf.function(
        lambda x: tf.map_fn(lambda x: FORWARDS[0].jvp(tf.square, x), x), autograph=False
    )
    assert same(inside(tf.constant([3.0, 5.0])), [6.0, 10.0])


@says(
    "What is dropped is the rule.",
    "A slope that is written into the forward pass, by `tf.stop_gradient`, stays:",
    "All modes have one slope again.",
    "A slope that no map can drop: it is written into the forward pass.",
)
@over(name=["reverse", "rounded"])
def test_written_into(name):
    function = getattr(program("identity.py"), name)
    right = {"reverse": -1.0, "rounded": 1.0}[name] + 0 * PAIR
    assert same(function(PAIR), PAIR if name == "reverse" else np.round(PAIR))

    def mapped(x):
        return tf.vectorized_map(function, x)

    for mode in (EAGER, INSIDE, AROUND, XLA, SYMBOLIC):
        assert same(mode.gradient(function, PAIR), right)
        assert same(mode.gradient(mapped, PAIR), right)
    for forward in FORWARDS:
        assert same(forward.jvp(function, PAIR), right)


# The check, and what breaks.


@says(
    "A Jacobian by columns and by rows, with a rule that is the derivative.",
    "The differences know neither:",
    "Around the `tf.function` the columns come from the rule, in eager mode from the operations: that they agree is a test of the rule.",
    "A Jacobian by columns and by rows, against differences.",
)
@over(factor=[1.0, 2.0])
def test_columns(factor):
    defined, x = program("columns.py"), tf.constant(X)

    @tf.custom_gradient
    def scaled(x):
        y, back = tf.raw_ops.Square(x=x), lambda u: factor * u * 2.0 * x
        return y, back

    eager = defined.columns(scaled, x).numpy()
    around = defined.columns(tf.function(scaled), x).numpy()
    assert np.allclose(eager, np.diag(2 * X))
    assert np.allclose(around, factor * np.diag(2 * X))
    assert np.allclose(defined.rows(scaled, x), around)
    assert np.allclose(defined.differences(scaled, x), eager)
    assert all(each.text.endswith("True") for each in trace("columns.py")[1:])


@says(
    "A tape around forward mode around a graph.",
    "The first derivative is right, and the tape around it raises.",
    "No rule is involved.",
    "Put the accumulator into the `tf.function`:",
    "Wrong on purpose: a tape around forward mode around a tf.function.",
)
def test_tape_around():
    defined, x = program("wrong/around.py"), tf.constant(0.7)
    assert same(defined.slope(x), 3 * 0.7**2, 1e-5)
    assert "too few gradients" in message(defined.second, x)
    inside = tf.function(
        lambda x: FORWARDS[0].jvp(lambda x: x * x * x, x), autograph=False
    )
    assert same(EAGER.gradient(inside, 0.7), 6 * 0.7, 1e-5)


@says(
    "Write `jvp_by_rule(f, x, dx)` with one tape and no accumulator: `tape.jacobian` asks the rule.",
    "Each row of the Jacobian is the rule at a unit upstream.",
    "It costs one backward pass for each output, where the transposed rule costs two in all.",
    "`limited` gets 0.5: its rule is asked for a value and not for a slope.",
    "A Jacobian-vector product from the rows of a Jacobian.",
)
def test_the_solution():
    upstreams = []

    @tf.custom_gradient
    def rule(x):
        return tf.identity(x), lambda u: upstreams.append(u) or u * u

    with tf.GradientTape(persistent=True) as tape:
        x = tf.constant([3.0, 5.0, 7.0])
        tape.watch(x)
        y = rule(x)
    J = tape.jacobian(y, x, experimental_use_pfor=False)
    assert same(J, np.eye(3)) and same(upstreams, [*np.eye(3, dtype=np.float32)])
    found = {each.text.split()[0]: each for each in trace("solution.py")}
    assert found["identity"].numbers == found["rounded"].numbers == [10.0] * 4
    assert found["limited"].numbers == [0.5] * 4


advice(
    "You need forward mode and VJPs, and a rule as a map of upstream.",
    "Predict what it says of the three rules of whose slope it is.",
    "What does it cost?",
    "retracing is meant",
)
pointer(
    "This page says what forward mode makes of a rule, and which maps, loops and Jacobians keep it.",
    "A Jacobian that is differentiated again is another matter.",
    "Twelve kinds of rule in these places are in the composition matrix.",
    "How to build one is told elsewhere.",
    "Of this kind, in the catalogue: Jacobians and vectorizing, second order and forward mode, and `tf.vectorized_map`.",
)
