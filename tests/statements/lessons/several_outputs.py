"""What the page on several outputs says in words."""

from truth.statements.tries import *


def plain(x, y):
    return x * y + tf.sin(x), y * y


def both(seen, returned=lambda z, w: (z, w)):
    """The page's rule, which notes the upstream gradients that it gets."""

    @tf.custom_gradient
    def both(x, y):
        z, w = plain(x, y)

        def grad(*upstreams):
            seen.append(upstreams)
            first, second = upstreams
            return first * (y + tf.cos(x)), first * x + second * 2.0 * y

        return returned(z, w), grad

    return both


def gradients(mode, function, loss, x=2.0, y=3.0):
    return mode.gradients(lambda x, y: loss(*function(x, y)), x, y)


@says(
    "With `return z, …",
    "This function returns …",
    "But TensorFlow expects …",
    "The call runs …",
    "Deliberately wrong: the …",
)
@over(graph=[None, {}, {"jit_compile": True}])
def test_three_values(graph):
    ran, asked = [], []

    @tf.custom_gradient
    def three(x, y):
        ran.append(x)
        return x * y, y * y, lambda *upstreams: asked.append(upstreams)

    run = three if graph is None else tf.function(three, autograph=False, **graph)
    said = message(run, tf.constant(2.0), tf.constant(3.0))
    assert (
        said.startswith("ValueError")
        and "too many values to unpack (expected 2)" in said
    )
    assert ran and not asked
    assert len(["z", "w", "grad"]) == 3 and "return z, w, grad" in source(
        "wrong/three_values.py"
    )


@says(
    "Leaving out one …",
    r"With $z = x y + \sin x$ …",
    "A change of …",
    "But the next gradient function returns …",
    "With the loss $w$ …",
    "With the loss $2 z + 5 w$, …",
    "The missing 4 …",
    "Deliberately wrong: y …",
)
@over(mode=MODES)
def test_no_sum(mode):
    one = tf.custom_gradient(
        lambda x, y: (plain(x, y), lambda z, w: (z * (y + tf.cos(x)), w * 2.0 * y))
    )
    (_, rule), (_, autodiff) = (
        gradients(mode, each, lambda z, w: w) for each in (one, plain)
    )
    assert same(rule, autodiff)
    weighted = lambda z, w: 2.0 * z + 5.0 * w  # noqa: E731
    (_, wrong), (_, right) = (gradients(mode, each, weighted) for each in (one, plain))
    assert same(right - wrong, 4.0)
    seen = []
    gradients(EAGER, both(seen), lambda z, w: w)
    assert same(seen, [(0.0, 1.0)])
    only_w, both_of_them = trace("wrong/no_sum.py")
    assert both_of_them.numbers[-2:] == [30, 34] and 34 - 30 == 4 == 2 * 2
    assert only_w.numbers[-1] == 6 and (
        both_of_them.text.count("30.0"),
        both_of_them.numbers[-1],
    ) == (1, 34)


@says(
    "The decorated function …",
    "In this program …",
    "The lines that …",
    "Look at the two …",
    "`grad` receives the upstream …",
    "For $L = 2 z + 5 w$, …",
    "For $L = z w$, `grad` …",
    "Such a function …",
    "Each downstream gradient …",
    "The upstream gradients of two …",
    "`grad` receives 1 …",
    "The gradient with …",
    "Predict: a difference.",
    "The loss is …",
)
@over(mode=[EAGER, PERSISTENT])
def test_the_order_of_upstreams(mode):
    seen = []
    found = gradients(mode, both(seen), lambda z, w: 2.0 * z + 5.0 * w)
    gradients(mode, both(seen), lambda z, w: z * w)
    assert same(seen, [(2.0, 5.0), (9.0, 6.90929747)], 1e-6)
    seen.clear()
    _, by_y = gradients(mode, both(seen), lambda z, w: z - 3.0 * w)
    assert same(seen, [(1.0, -3.0)]) and by_y == -16 == 1 * 2 - 3 * 6
    inputs, outputs = by_y.shape.rank + 2, len(seen[0])
    assert inputs == 2 and outputs == 2 and len(seen) == 1
    assert len(trace("unused.py").starting("L")) == 5
    assert same(found, [2 * (3 + np.cos(2)), 2 * 2 + 5 * 6], 1e-6)


@says(
    "$L = z + w$, …",
    "`grad` is called …",
    "With the loss $z + w$ …",
    "A test with …",
)
@over(mode=MODES)
def test_called_once(mode):
    seen = []
    gradients(mode, both(seen), lambda z, w: z + w)
    assert len(seen) == 1 and len(seen[0]) == 2
    swapped = tf.custom_gradient(
        lambda x, y: (
            plain(x, y),
            lambda w, z: (z * (y + tf.cos(x)), z * x + w * 2.0 * y),
        )
    )
    losses = (
        (lambda z, w: z + w, True),
        (lambda z, w: 2.0 * z + 5.0 * w, False),
        (lambda z, w: z * w, False),
    )
    shown = [line.text for line in trace("unused.py").starting("L")]
    assert len(losses[1:]) == 2 and shown[:2] == ["L = 2z + 5w", "L = z w"]

    def by_losses(function):
        return lambda *given: [
            loss(*function(*given[at : at + 2]))
            for at, (loss, _) in zip((0, 2, 4), losses)
        ]

    given = [2.0, 3.0] * len(losses)
    found = mode.gradients(by_losses(swapped), *given)
    right = EAGER.gradients(by_losses(plain), *given)
    for at, (_, passes) in zip((0, 2, 4), losses):
        assert same(found[at : at + 2], right[at : at + 2], 1e-5) == passes


@says(
    "For an unused …",
    "The upstream gradient is also …",
    "For a float …",
    "`grad` needs no …",
    "The exception is …",
    "In the last …",
    was="'never None': a string output sends None, in every mode",
)
@over(mode=EVERYWHERE)
def test_an_unused_output(mode):
    seen, losses = [], [lambda z, w: z, lambda z, w: z + tf.stop_gradient(w)]
    infinite = tf.custom_gradient(lambda x: ((x, x), lambda z, w: z + w * np.inf))

    def outputs(*given):
        for loss, x, y, other in zip(losses, given[::3], given[1::3], given[2::3]):
            copied = both(seen)(tf.identity(x), tf.identity(y))
            yield loss(*copied), loss(*infinite(other))

    found = mode.gradients(lambda *given: [*outputs(*given)], *[2.0, 3.0, 1.0] * 2)
    for used, unused in seen:
        assert used is not None and unused is not None
        if mode in (EAGER, PERSISTENT):
            assert same([used, unused], [1.0, 0.0])
    for loss, (*its, of_infinite) in zip(losses, (found[:3], found[3:])):
        assert seen and same(its, gradients(EAGER, plain, loss), 1e-6)
        assert np.isnan(of_infinite)
    lines = [line.text for line in trace("unused.py")]
    assert len([each for each in lines if each.startswith("L")][-3:]) == 3


@says(
    "Don't use the …",
)
@over(
    mode=[*MODES, *(m for m in BLOCKS if m.name.startswith(("branch,", "loop,")))],
    output={
        "float": lambda x: 3.0 * x,
        "complex": lambda x: tf.cast(x, tf.complex64),
        "string": tf.strings.as_string,
        "integer": lambda x: tf.cast(x, tf.int32),
        "Boolean": lambda x: x > 0,
    },
)
def test_an_unused_output_of_another_dtype(mode, output):
    seen, dtype = [], output(tf.constant([1.0])).dtype
    if dtype is tf.string and "XLA" in mode.name:
        return

    floating = dtype in (tf.float32, tf.complex64)

    @tf.custom_gradient
    def two(x):
        def grad(*both):
            seen.append(both)
            unused = tf.math.real(both[1]) if floating else 0.0
            return 2.0 * both[0] + 7.0 * unused

        return (2.0 * x, output(x)), grad

    assert same(mode.gradient(lambda x: two(x)[0], [1.0, -3.0]), [2.0, 2.0])
    unused = seen[0][1]  # a loop traces grad more than once
    if dtype is tf.string or (
        not floating and mode not in (EAGER, PERSISTENT, INSIDE, XLA)
    ):
        assert unused is None
    else:
        assert unused.dtype == dtype
        if mode is EAGER and floating:
            assert same(unused, [0.0, 0.0])


@says(
    "The rows of …",
    "At $(2, 3)$ …",
    "The second row …",
    r"$\downstream{\bar x} = 1 \cdot 2.58385324 + 1 \cdot 0$ uses …",
    r"$\downstream{\bar y} = 1 \cdot 2 + 1 \cdot 6 = 8$ uses …",
    "This sum equals …",
    "In numerator layout, …",
    "One row for …",
    "Two outputs, one …",
    "Two scalars go …",
    "Only $z$ depends …",
    "The local derivatives …",
    "Each output has its own differential, …",
)
def test_the_rows_and_columns():
    with tf.GradientTape(persistent=True) as tape:
        inputs = tf.constant([2.0, 3.0])
        tape.watch(inputs)
        outputs = tf.stack(plain(*tf.unstack(inputs)))
    jacobian = tape.jacobian(outputs, inputs)
    _, upstreams, local, downstreams, *_ = trace("several_outputs.py")
    assert same(jacobian, np.reshape(local.numbers, (2, 2)), 1e-6)
    assert local.numbers == [2.58385324, 2, 0, 6] and upstreams.numbers == [1, 1]
    assert downstreams.numbers == [2.58385324, 8] and 8 == 2 + 2 * 3


@says(
    "A small change …",
    "This sum is …",
    "The product is a …",
    "So each gradient …",
)
@over(mode=MODES, a=numbers(-9, 9), b=numbers(-9, 9))
def test_a_row_from_the_left(mode, a, b):
    jacobian = np.array([[3 + np.cos(2.0), 2], [0, 6]])
    found = gradients(mode, both([]), lambda z, w: a * z + b * w)
    assert same(found, np.array([a, b]) @ jacobian, 1e-5) or np.allclose(
        np.array(found), np.array([a, b]) @ jacobian, 1e-5, 1e-5
    )


@says(
    "In eager mode, …",
    "If the tape …",
    "Give `grad` one …",
    "But the next gradient function has …",
    "Deliberately wrong: two …",
)
@over(mode=EVERYWHERE)
def test_one_upstream(mode):
    one = tf.custom_gradient(
        lambda x, y: (plain(x, y), lambda upstream: (upstream, upstream))
    )
    assert raised(one, tf.constant(2.0), tf.constant(3.0)) is None
    assert raised(tf.function(one), tf.constant(2.0), tf.constant(3.0)) is None
    assert bool(message(mode.value, one, 2.0, 3.0)) == (mode in OUTSIDE)
    assert "takes 1 positional argument but 2 were given" in message(
        gradients, mode, one, lambda z, w: z + w
    )


@says(
    "The outputs may …",
    "`grad` then receives …",
    "So `w` comes …",
    "For a dictionary …",
    "If the outputs …",
    "The two upstream …",
    "Deliberately wrong: grad …",
)
@over(
    mode=MODES, returned=[lambda z, w: {"z": z, "w": w}, lambda z, w: {"w": w, "z": z}]
)
def test_a_dictionary(mode, returned):
    weighted = lambda out: 2.0 * out["z"] + 5.0 * out["w"]  # noqa: E731
    f = both([], returned)
    found = mode.gradients(lambda x, y: weighted(f(x, y)), 2.0, 3.0)
    swapped = gradients(mode, plain, lambda z, w: 5.0 * z + 2.0 * w)
    assert same(found, swapped, 1e-6)
    nested = both([], lambda z, w: [(z,), {"w": w}])
    loss = lambda x, y: (lambda out: 2.0 * out[0][0] + 5.0 * out[1]["w"])(nested(x, y))  # noqa: E731
    assert same(mode.gradients(loss, 2.0, 3.0), [2 * (3 + np.cos(2.0)), 34.0], 1e-6)


@says(
    "The program compares the custom …",
    "It uses float64, …",
    "The three lines …",
    "A custom gradient …",
)
def test_the_check():
    lines = trace("check.py")
    assert [line.text for line in lines if line.text.startswith("L")] == [
        f"L = {loss} at {at}"
        for loss in ("2z + 5w", "z w")
        for at in ("(2.0, 3.0)", "(-0.5, 1.5)")
    ]
    for at in range(0, len(lines), 4):
        rule, *others = (line.numbers for line in lines[at + 1 : at + 4])
        assert others == [rule, rule] and len([rule, *others]) == 3
    points, losses = (line.text.split(" at ") for line in lines[::8]), lines[::8]
    assert len(losses) == 2 and points and len(lines[::4]) == 2 * 2


@says(
    "For $L = x y$ …",
    "The closed form …",
    "The program prints …",
    "The two differentials …",
    "Solution: polar to …",
)
@over(r=numbers(0.1, 9), theta=numbers(-3, 3))
def test_the_solution(r, theta):
    found = EAGER.gradients(lambda r, t: 0.5 * r**2 * tf.sin(2 * t), r, theta)
    expected = [r * np.sin(2 * theta), r**2 * np.cos(2 * theta)]
    assert np.allclose(np.array(found), expected, 1e-4, 1e-4)
    values, upstreams = trace("solution.py")[:2]
    assert np.allclose(values.numbers[::-1], upstreams.numbers)
    for line in trace("solution.py").starting("dL/"):
        custom, closed = (float(each.split()[0]) for each in line.text.split("= ")[1:])
        assert np.isclose(custom, closed, 1e-6)


@says("The first parameter …", "Predict: two dictionary …", "A decorated function …")
def test_the_order_of_two_keys():
    seen = []

    @tf.custom_gradient
    def f(x):
        return {"mean": 2.0 * x, "count": 3.0 * x}, lambda *u: seen.append(u) or x

    EAGER.gradient(lambda x: 7.0 * f(x)["count"], 1.0)
    assert same(seen, [(7.0, 0.0)])
    assert sorted(["mean", "count"]) == ["count", "mean"] and len(seen[0]) == 2


definition(
    "A bar marks …",
    "Here $y$ is …",
    "Here all gradients …",
    "Each output has its own upstream gradient.",
    "The type of …",
    "Here $x$ and …",
    "The row of …",
)
advice(
    "Write the differentials of …",
    "You need to …",
    "You also need …",
    "Multiply the row …",
    "Return the outputs …",
    "For each input, …",
    "To fix the error, return …",
    "To fix the error, give …",
    "So test with …",
    "Return a tuple, …",
    "Derive the gradient …",
    "Then predict the …",
    "Look at when …",
    "Compare the result …",
    "Make two quick …",
)
pointer(
    "After this lesson …",
    "Derive: polar to …",
    r"Let $x = r \cos \theta$ …",
)
