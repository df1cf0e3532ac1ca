"""What the page on forward mode and batching says in words."""

import functools

from truth.statements.tries import *

X = np.float64([1.0, 0.5])
PAIR = np.float32([0.25, 2.0])
AT = ["around", "nested"]
"""In the names of the forward modes with a graph around the function."""


# How it is made.


@says(
    "A Jacobian-vector product from a …",
    "A gradient function …",
    "TensorFlow gets this …",
    "This section shows …",
    "The gradient function of this …",
    "The input is …",
    "The four steps …",
    "`grad` returns $a$, …",
    "Only $u$ changes.",
    "`grad` is linear …",
    "The output is $y$.",
    "The output is $a$, …",
    "The gradient function of `grad` …",
    "If you use …",
    "In short, `grad` …",
    "The inner tape …",
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


@says("Forward mode applies …", "You can choose …")
def test_at_ones():
    asked = []

    @tf.custom_gradient
    def rule(x):
        return tf.round(x), lambda u: asked.append(u) or tf.minimum(u, 2.0) * u

    found = FORWARDS[0].jvp(rule, PAIR)
    assert asked and same(found, 2 + 0 * PAIR)  # the slope of u², at 1


@says(
    "The method needs …",
    "`by_transposing` below uses …",
    "The first line …",
    "The second line …",
    "It has three …",
    "The third line …",
    "Both lines show …",
)
def test_the_trace():
    first, *others = trace("transpose.py")
    defined = program("transpose.py")
    W = defined.W.numpy()
    s = W @ X
    assert first.numbers == [*(W.T @ (3 * s**2))]
    right = [*(3 * s**2 * (W @ [1.0, -1.0]))]
    assert len(right) == 3 and [each.numbers for each in others] == [right] * 3
    assert len([first, *others]) == 4 and len([first, *others[:2]]) == 3
    assert "accumulator" in others[1].text and "by hand" in others[2].text
    assert "by_accumulator(plain, x, dx)" in source("transpose.py")


# Whose slope.

RULES = ["identity", "rounded", "limited"]


@says(
    "Around a `tf.function`, the …",
    "After this page …",
    "Forward mode in TensorFlow …",
    "If the accumulator is around …",
    "Elsewhere, it differentiates …",
    "The next program has …",
    "The gradient functions of `identity` …",
    "The gradient function of `limited` limits …",
    "TensorFlow transposes the …",
    "Elsewhere, eagerly or …",
    "If they have …",
    "`tf.round` has no …",
    "In eager mode, TensorFlow …",
    "Inside a `tf.function`, the …",
    "The gradient function of `limited` isn't …",
    "Around a `tf.function`, TensorFlow …",
    "This is above …",
    "Forward mode of …",
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
    if name == "identity":
        called = []
        counted = tf.custom_gradient(
            lambda x: (tf.identity(x), lambda u: called.append(u) or 10.0 * u)
        )
        assert same(forward.jvp(counted, x), float(right)) and len(called) == 1
    reverse = {"identity": 10.0, "rounded": 10.0, "limited": 0.5}[name]
    assert same(EAGER.gradient(rule, x), reverse)


@says(
    "An accumulator doesn't …",
    "Alternatively, use `by_transposing`, …",
    "`by_transposing` always uses …",
)
@over(mode={"eager": None, "inside": {}, "XLA": {"jit_compile": True}}, around=[0, 1])
def test_by_transposing(mode, around):
    for name in ("identity", "rounded"):
        rule = getattr(program("accumulators.py"), name)
        rule = tf.function(rule, autograph=False) if around else rule
        run = functools.partial(program("transpose.py").by_transposing, rule)
        graph = run if mode is None else tf.function(run, autograph=False, **mode)
        assert same(graph(tf.constant(PAIR), tf.constant(PAIR))[1], 10 * PAIR)

        def mapped(x):
            return tf.vectorized_map(rule, x)

        by_transposing = program("transpose.py").by_transposing
        found = by_transposing(mapped, tf.constant(PAIR), tf.constant(PAIR))[1]
        assert not same(found, 10 * PAIR)
    identity = program("accumulators.py").identity
    assert same(FORWARDS[0].jvp(identity, 2.0), 1.0)


@says(
    "To make forward mode use a …",
    "To make forward mode use your …",
    "This wrapping works …",
    "But `tf.vectorized_map` still …",
    was="'inside other graphs': in tf.vectorized_map it doesn't",
)
@over(forward=[FORWARDS[0], FORWARDS[1], FORWARDS[4]], name=["identity", "rounded"])
def test_switch(forward, name):
    rule = getattr(program("accumulators.py"), name)
    alone = tf.function(rule, autograph=False)
    assert same(forward.jvp(alone, 2.0), 10.0)
    assert same(forward.jvp(lambda x: 3.0 * alone(5.0 * x) ** 2, 2.0), 3000.0)
    plain = forward.jvp(rule, 2.0)
    assert name == "rounded" or same(plain, 1.0)

    def looped(x):
        return tf.while_loop(
            lambda n, x: n < 1,
            lambda n, x: (n + 1, alone(x)),
            (0, x),
            maximum_iterations=1,
        )[1]

    assert same(forward.jvp(looped, 2.0), 10.0)
    mapped = forward.jvp(lambda x: tf.vectorized_map(alone, x), PAIR)
    assert mapped is None or same(mapped, PAIR * 0.0 + (name == "identity"))


@says(
    "If your gradient function is …",
    "All these modes …",
)
@over(forward=FORWARDS)
def test_derivative(forward):
    cubes = program("columns.py").cubes
    W = program("columns.py").W.numpy()
    right = 3 * (W @ X) ** 2 * (W @ [1.0, 1.0])
    assert np.allclose(forward.jvp(cubes, X), right)


@says(
    "If the forward pass applies …",
    "In this case, forward …",
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
    "Second derivatives with …",
    "The next program computes …",
    "In `with_grad`, the …",
    "In eager mode, two …",
    "The wrong number …",
    "Use a tape …",
)
@over(
    name=["plain", "with_grad"],
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
    "The test has …",
    "With a batch …",
    "`tf.vectorized_map` drops your …",
    "`tf.vectorized_map` drops the …",
    "After the conversion, …",
    "If the batch …",
    "In a `tf.function` whose …",
    "With two examples …",
    "Deliberately wrong: a map …",
    was="'doesn't convert a batch of one': it does if the batch size is unknown",
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
    if mode is not EAGER:
        return
    unknown = [tf.TensorSpec([None])]
    for function in (
        tf.function(derivative(defined.mapped), input_signature=unknown),
        derivative(tf.function(defined.mapped, input_signature=unknown)),
    ):
        found = tf.convert_to_tensor(function(tf.constant(x)))
        assert same(found, 1 + 0 * x)  # dropped, also from a batch of one
    first = [each.jvp(defined.reverse, 3.0) for each in (FORWARDS[0], FORWARDS[2])]
    assert same(first, [1.0, -1.0])


@says(
    "`tf.vectorized_map` runs a …",
    "A `tf.function` around …",
    "If the tape is …",
    "So the converted …",
    "`tf.map_fn` and `tf.while_loop` …",
    "`tape.jacobian`, `tape.batch_jacobian`, `tf.map_fn` …",
    "They trace the …",
    "This conversion is …",
    "Whether your gradient …",
    "In the next …",
    "The first number …",
    "`tape.jacobian` and `tape.batch_jacobian` …",
    "Where the gradient …",
)
@over(name=["identity", "rounded"])
def test_who(name):
    defined = program("who.py")
    rule = getattr(defined, name)
    for way, run in defined.places.items():
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
    "So if your custom …",
    "`tf.numpy_function` has no …",
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
    "Three methods compute …",
    "The next program uses …",
    "All three methods …",
    "They clip the …",
    "In contrast, `tape.gradient` …",
    "One clipped gradient …",
)
def test_per_example():
    defined = program("per_example.py")
    upstream, *found = trace("per_example.py")
    assert upstream.numbers == [-1.5, -2.5, 0.25]
    X, clipped = defined.X.numpy(), np.clip(upstream.numbers, -1, 1)
    assert [*clipped] == [-1, -1, 0.25]
    right = clipped[:, None] * X
    third, unchanged = upstream.numbers[2], clipped[2]
    assert third == unchanged == 0.25
    assert len(found) == 3
    for line in found:
        assert same(line.numbers, [*right.ravel()])
    with tf.GradientTape() as tape:
        tape.watch(defined.w)
        y = defined.loss(defined.X, defined.w)
    assert same(tape.gradient(y, defined.w), right.sum(0), 1e-6)


@says(
    "In a `tf.function`, …",
    "Forward mode is …",
    "You can use …",
    "Here, `identity` and …",
    "No line has …",
    "`rounded` has 10 …",
    "This works eagerly, …",
    "Put the accumulator into the function …",
    "Forward mode in a map, …",
    "Deliberately wrong: forward …",
)
@over(graph=[False, True])
def test_forward_and_maps(graph):
    defined = program("maps.py")
    for way, run in defined.places.items():
        one = functools.partial(run, defined.identity)
        called = tf.function(one, autograph=False) if graph else one
        if graph and way == "forward of tf.map_fn":
            assert raised(called, tf.constant(PAIR)) is not None
        else:
            assert same(called(tf.constant(PAIR)), 1 + 0 * PAIR)
    tens = []
    for line in trace("maps.py").starting("rounded"):
        tens += [
            (line.text.split("eager")[0].strip(), key)
            for key in ("eager", "tf.function")
            if line[key] == 10
        ]
    assert tens == [
        ("rounded   tf.map_fn of forward", "eager"),
        ("rounded   forward of tf.map_fn", "eager"),
    ]
    for line in trace("maps.py").starting("identity"):
        assert line["eager"] == 1 and line["tf.function"] in (1, "TypeError")
    slope = program("wrong/mapped.py").derivative
    assert same(slope(tf.constant([3.0, 5.0])), [6.0, 10.0])
    inside = tf.function(
        lambda x: tf.map_fn(lambda x: FORWARDS[0].jvp(tf.square, x), x), autograph=False
    )
    assert same(inside(tf.constant([3.0, 5.0])), [6.0, 10.0])


@says(
    "A gradient that you …",
    "Some of the …",
    "So every mode …",
    "All modes agree …",
    "A gradient that no …",
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
    "If forward mode is around …",
    "In eager mode, the columns …",
    "Forward mode computes …",
    "The program below …",
    "It compares the …",
    "All results agree.",
    "So if you compare …",
    "A Jacobian by …",
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
    "A tape differentiates …",
    "The first derivative …",
    "The second derivative …",
    "If the tape and …",
    "Instead, the tape …",
    "The fix is …",
    "Deliberately wrong: a tape …",
)
def test_tape_around():
    defined, x = program("wrong/around.py"), tf.constant(0.7)
    assert same(defined.derivative(x), 3 * 0.7**2, 1e-5)
    assert "too few gradients" in message(defined.second, x)
    for mode in INSIDE, XLA:
        assert not message(mode.gradient, defined.derivative, x)
        assert mode.gradient(defined.derivative, x) is None
        found = mode.gradient(lambda x: defined.derivative(x) * x, x)
        assert same(found, 3 * 0.7**2, 1e-5)  # one of two equal terms is 6 x²
    inside = tf.function(
        lambda x: FORWARDS[0].jvp(lambda x: x * x * x, x), autograph=False
    )
    assert same(EAGER.gradient(inside, 0.7), 6 * 0.7, 1e-5)


@says(
    "Write `jvp_by_rows(f, x, dx)`, …",
    "Instead of an …",
    "Predict what `jvp_by_rows` …",
    "With a unit …",
    "So this method …",
    "In contrast, `by_transposing` …",
    "A Jacobian-vector product from the …",
    "The result for `limited` …",
    "The result for `identity` …",
    "The results are …",
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


@says("So if your custom …", "`tf.numpy_function` has no …")
@over(graph=[False, True])
def test_what_goes_through_numpy(graph):
    def row(x):
        return x * tf.numpy_function(lambda x: x**2, [x], tf.float32)

    gradient = derivative(lambda x: tf.vectorized_map(row, x))
    gradient = tf.function(gradient) if graph else gradient
    assert same(gradient(tf.constant([2.0, 3.0])), [4.0, 9.0])


advice(
    "You need to …",
    "How many backward …",
    "Compare the second …",
    "Compare the results:",
    "Look at the …",
    "Compare the eager …",
    "Test with at …",
    "Predict what `jvp_by_rows` …",
    "no warnings on …",
)
pointer(
    "There is one …",
    "If `grad` calls …",
    "The composition matrix …",
    "The guide shows …",
    "The catalogue has …",
)
