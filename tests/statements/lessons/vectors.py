"""What the page on vectors says in words."""

from truth.statements.tries import *

X = tf.constant([1.0, 2.0, 3.0])
WEIGHTS = tf.constant([1.0, 10.0, 100.0])
INSIDES = [EAGER, PERSISTENT, INSIDE, XLA]


def square(rule):
    """The square; its rule is given upstream and x."""

    @tf.custom_gradient
    def square(x):
        x = tf.identity(x)  # or a branch raises
        return x * x, lambda upstream: rule(upstream, x)

    return square


RIGHT = square(lambda upstream, x: upstream * 2.0 * x)
NO_UPSTREAM = square(lambda upstream, x: 2.0 * x)
SUMS = square(lambda upstream, x: tf.reduce_sum(upstream * 2.0 * x))
JACOBIAN = square(lambda upstream, x: upstream * tf.linalg.diag(2.0 * x))
GUARDED = square(
    lambda upstream, x: tf.ensure_shape(upstream * tf.linalg.diag(2.0 * x), x.shape)
)


def weighted(y):
    return tf.reduce_sum(WEIGHTS * y)


@says(
    "If you ask the tape for the gradient of a vector, …",
    "If you ask the tape for the gradient of the vector $y$ …",
    "A gradient belongs …",
)
@over(mode=MODES, x=arrays((3,), numbers(-9, 9)))
def test_the_gradient_of_a_vector(mode, x):
    function = lambda x: tf.sin(x) * x[::-1]  # noqa: E731
    assert same(
        mode.gradient(function, x), mode.gradient(function, x, tf.reduce_sum), 1e-6
    )


def wrong_and_right(x, y):
    return [NO_UPSTREAM(x), RIGHT(y)]


@says(
    "The upstream gradient is then …",
    "An upstream gradient …",
    "So the upstream gradient is all …",
    "A loss that …",
    "If you ask the tape for the gradient of the vector itself, …",
    "With a weighted …",
    "Deliberately wrong: no …",
)
@over(mode=COMMON)
def test_ones_hide_a_factor(mode):
    found = mode.gradients(wrong_and_right, X, X)
    assert same(found[0], [2, 4, 6]) and same(found[1], [2, 4, 6])
    wrong, right = (
        each.numpy()
        for each in mode.gradients(
            lambda x, y: tf.stack([*map(weighted, wrong_and_right(x, y))]), X, X
        )
    )
    assert sum(wrong != right) == 2 and same(right, [2, 40, 600])
    vector, _, loss, last = [line.numbers for line in trace("wrong/no_upstream.py")][:4]
    assert (
        vector[:3] == [1, 1, 1] and loss[:3] == [1, 10, 100] and last[:3] == [2, 4, 6]
    )


@says(
    "If a `tf.function` computes …",
    "In eager mode and inside …",
    "So the result …",
    "`square(x)`: no operation …",
    "Deliberately wrong: grad sums …",
    was="no mode was named: with the tape around a tf.function it raises",
)
@over(mode=MODES)
def test_a_scalar_for_a_vector(mode):
    assert (raised(mode.gradient, SUMS, X) is None) == (mode in INSIDES)
    assert mode not in INSIDES or same(mode.gradient(SUMS, X), 12.0)
    for step in (tf.square, lambda x: 2.0 * x):
        said = raised(mode.gradient, lambda x: SUMS(step(x)), X)
        assert mode in INSIDES or said is not None


@says(
    "`square(x**2)`: the backward …",
    "The shape of the result …",
    "`square(2x)`: inside a …",
    "In eager mode, the backward …",
    "There are three …",
    was="'another scalar in a graph': with the tape around the graph it raises",
)
@over(mode=INSIDES)
def test_what_happens_to_the_scalar(mode):
    assert same(mode.gradient(lambda x: SUMS(tf.square(x)), X), 28 * 2 * X)
    said = message(mode.gradient, lambda x: SUMS(2.0 * x), X)
    assert bool(said) == (mode in (EAGER, PERSISTENT))
    if said:
        assert (
            "Input to reshape is a tensor with 1 values" in said
            and "lambda" not in said
        )
    else:
        assert same(mode.gradient(lambda x: SUMS(2.0 * x), X), 48.0)


@says(
    "For $y_i = x_i^2$ …",
    "In code: `return …",
    "For an elementwise function …",
    "For each input, …",
    "This gradient function adds …",
    "Each element of …",
    "Because $\\local{J}$ …",
    "The fix is `upstream * 2.0 * x`, …",
    "The fix is `downstream = upstream * local`.",
    "In the numerator …",
    "The Jacobian is diagonal, …",
    "Each element is …",
    r"$\upstream{\bar y_i}$ tells …",
    "On paper, this …",
    "The factor in front of $\\d x$ …",
    "A vector of …",
    "Output $i$ …",
)
@over(
    mode=[EAGER, INSIDE, AROUND],
    x=arrays((4,), numbers(0.1, 9)),
    upstream=arrays((4,), numbers(-9, 9)),
)
def test_the_row_times_the_jacobian(mode, x, upstream):
    found = mode.gradient(RIGHT, x, lambda y: tf.reduce_sum(upstream * y))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(given := tf.constant(x))
        y = given * given
    jacobian = tape.jacobian(y, given, experimental_use_pfor=False).numpy()
    assert y.shape == x.shape and same(jacobian, np.diag(2 * x))
    assert np.allclose(found, upstream @ jacobian, 1e-5, 1e-5)
    wide = EAGER.gradient(lambda x: tf.reduce_sum(tf.square(x)[:2]), x)
    assert wide.shape == x.shape


@says(
    "Each of the …",
    "For a million …",
    "The gradient function …",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_the_jacobian_is_never_built(mode):
    n = 10**6
    assert tf.float32.size * n**2 == 4e12 and tf.float32.size * n == 4e6
    assert mode.gradient(RIGHT, tf.ones(n)).shape == (n,)  # 4 TB would not fit
    assert np.count_nonzero(np.diag([2.0, 0.0, 6.0])) <= 3


@says(
    "The type of …",
    "Rows and columns …",
    "In TensorFlow a tensor …",
)
def test_neither_row_nor_column():
    assert (
        same(tf.transpose(X), X)
        and X.shape == (3,)
        and EAGER.gradient(RIGHT, X).shape == (3,)
    )
    assert raised(tf.matmul, X, X) is not None


@says(
    "Forward, both times: …",
    r"First call: $\upstream{\bar y} = (1, 1, 1)$.",
    r"The local derivative is $\local{2x} = (2, 4, 6)$, …",
    r"Second call: $\upstream{\bar y} = w = (1, 10, 100)$.",
    "The local derivative is the same, …",
    "The lines that …",
    "The two calls …",
    "All shapes are …",
    "The program uses …",
    "It computes the …",
    "The elementwise square …",
)
def test_the_trace():
    lines = trace("vectors.py")
    first, second = lines.starting("backward")
    assert [line["y"] for line in lines.starting("forward")] == [[1, 4, 9]] * 2
    assert (first["upstream"], first["local"], first["downstream"]) == (
        [1, 1, 1],
        [2, 4, 6],
        [2, 4, 6],
    )
    assert (second["upstream"], second["local"]) == ([1, 10, 100], [2, 4, 6])
    assert second["downstream"] == [2, 40, 600]
    assert [line.numbers for line in lines.starting("shapes")] == [[3, 3, 3]] * 2


@says(
    "For three elements, …",
    "The loss is $L = \\sum_i w_i \\sin y_i$.",
    r"Its upstream gradient, $\upstream{\bar y_i} = w_i \cos y_i$, …",
    "Three methods compute …",
    "The last three …",
    "The diagonal of …",
    "So `upstream @ J` …",
    "The square's gradient …",
    "turns -0.0 into 0.0",
)
def test_the_check():
    _, *rows, upstream, product, rule, differences = trace("check.py")
    jacobian = np.array([row.numbers for row in rows])
    assert same(jacobian, np.diag([-3.0, 0.0, 4.0])) and jacobian.size == 9
    assert same(
        upstream["upstream"], [1, 10, 100] * np.cos(np.array([-1.5, 0, 2]) ** 2), 1e-5
    )
    assert min(upstream.numbers) < 0 and 1 not in upstream.numbers
    assert product.numbers == rule.numbers == differences.numbers
    assert len(product.numbers) == 3
    assert str(np.float64(-0.0) + 0.0) == "0.0" and str(np.float64(-0.0)) == "-0.0"


@says(
    "This gradient function returns …",
    "But it must …",
    "In eager mode, the first …",
    "In the second …",
    "Deliberately wrong: grad returns …",
    was="no mode was named: with the tape around a tf.function it raises",
)
@over(mode=[*INSIDES, AROUND])
def test_the_whole_jacobian(mode):
    if mode is AROUND:
        assert raised(mode.gradient, JACOBIAN, X) is not None
    else:
        assert same(mode.gradient(JACOBIAN, X), np.diag([2.0, 4.0, 6.0]))
    assert raised(mode.gradient, GUARDED, X) is not None
    assert tf.ones(3)[None] @ tf.ones((3, 3)) is not None and (
        np.ones(3) @ np.ones((3, 3))
    ).shape == (3,)


@says(
    "A gradient function that only …",
    "In eager mode the tape …",
    "In $y = a x$ with a scalar $a$ and …",
    "Deliberately wrong: a scalar's …",
    was="no mode was named: with the tape around a tf.function it raises",
)
@over(mode=INSIDES)
def test_a_vector_for_a_scalar(mode):
    scale = tf.custom_gradient(lambda a, x: (a * x, lambda u: (u * x, u * a)))
    found = mode.gradient(lambda a: scale(a, X), 2.0)
    assert same(found, X)
    variable = tf.Variable(2.0)
    assert "Cannot update variable" in message(variable.assign_sub, found)
    assert all(EAGER.gradient(lambda a: (a * X)[i], 2.0) != 0 for i in range(3))


@says(
    r"The factor in front of $\d a$ …",
    "If the forward pass broadcasts an input, its …",
    "If the forward pass broadcasts an input, the …",
    "The corrected program …",
    "For example, in …",
    "The Jacobian with …",
    "With $w = (1, 10, 100)$ …",
    "A scalar times …",
    "The four steps …",
)
@over(mode=[EAGER, INSIDE, AROUND], a=numbers(-9, 9), x=arrays((3,), numbers(-9, 9)))
def test_what_is_broadcast_is_summed(mode, a, x):
    found = mode.gradient(lambda a: a * tf.constant(x), a, weighted)
    assert np.allclose(found, np.sum(WEIGHTS * x), 1e-4, 1e-4) and found.shape == ()
    assert trace("broadcast.py")[0]["downstream"] == 321 == 1 * 1 + 10 * 2 + 100 * 3
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(given := tf.constant(a))
        y = given * x
    assert tape.jacobian(y, given, experimental_use_pfor=False).shape == (3,)


@says(
    "The differential is …",
    "Both Jacobians are …",
    r"With $\upstream{\bar z} = w$ …",
    "Solution: the elementwise …",
    "What are its …",
)
@over(x=arrays((3,), numbers(0.1, 9)), y=arrays((3,), numbers(0.1, 9)))
def test_the_solution(x, y):
    with tf.GradientTape(persistent=True) as tape:
        a, b = tf.constant(x), tf.constant(y)
        tape.watch([a, b])
        z = a * b
    assert same(tape.jacobian(z, a, experimental_use_pfor=False), np.diag(y)) and same(
        tape.jacobian(z, b, experimental_use_pfor=False), np.diag(x)
    )
    to_x, to_y = trace("solution.py").starting("backward")
    assert to_x["downstream"] == [4, 50, 600] and to_y["downstream"] == [1, 20, 300]


@says(
    "The gradient is $(2, 20)$.",
    "The upstream gradient is $(1, 5)$, …",
    "The gradient is 6.",
    "The upstream gradient is all ones, …",
)
@over(mode=COMMON)
def test_the_predictions(mode):
    upstream, x = np.array([1.0, 5.0]), np.array([1.0, 2.0])

    def predicted(x, a):
        y = RIGHT(x)
        return y[0] + 5.0 * y[1] + tf.reduce_sum(a * X)

    found, of_a = mode.gradients(predicted, x.astype("f"), 2.0)
    assert same(found, [2.0, 20.0]) and same(upstream * 2 * x, [2.0, 20.0])
    assert same(2 * x, [2.0, 4.0])
    assert same(of_a, 6.0) and 1 + 2 + 3 == 6


definition(
    r"With $\odot$ for …",
    "To write one …",
)
advice(
    "Compare the two …",
    "You need the …",
    "The functions in …",
    "Look at what …",
    "Test with a …",
    "Test a gradient …",
    "Make two quick …",
    "Derive the gradient …",
    "Predict both gradients …",
)
pointer(
    "After this lesson …",
)
