"""What the page on vectors says in words."""

from truth.statements.tries import *

X = tf.constant([1.0, 2.0, 3.0])
WEIGHTS = tf.constant([1.0, 10.0, 100.0])
INSIDES = [EAGER, PERSISTENT, INSIDE, XLA]


def square(rule):
    """The square; its rule is given upstream and x."""
    return tf.custom_gradient(lambda x: (x * x, lambda upstream: rule(upstream, x)))


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
    "Ask the tape for the gradient of a vector $y$, and it returns the gradient of the sum of $y$.",
    "If you ask the tape for the gradient of the vector $y$ itself, it takes the sum of the"
    " elements:",
    "A gradient belongs to a number $L$.",
)
@over(mode=MODES, x=arrays((3,), numbers(-9, 9)))
def test_the_gradient_of_a_vector(mode, x):
    function = lambda x: tf.sin(x) * x[::-1]  # noqa: E731
    assert same(
        mode.gradient(function, x), mode.gradient(function, x, tf.reduce_sum), 1e-6
    )


@says(
    "So a rule that forgets upstream prints the right $[2, 4, 6]$ in the first test, and is wrong"
    " in two of three elements as soon as the loss weights them by 1, 10 and 100.",
    "So upstream is ones, and ones hide that a factor is missing.",
    "A loss that weights the elements shows it:",
    "As long as the tape is asked for the vector itself, upstream is ones and nothing shows.",
    "The rule forgets `upstream`.",
    "Wrong on purpose: without upstream, and right as long as that is ones.",
)
@over(mode=MODES)
def test_ones_hide_a_factor(mode):
    assert same(mode.gradient(NO_UPSTREAM, X), [2, 4, 6]) and same(
        mode.gradient(RIGHT, X), [2, 4, 6]
    )
    wrong, right = (mode.gradient(f, X, weighted).numpy() for f in (NO_UPSTREAM, RIGHT))
    assert sum(wrong != right) == 2 and same(right, [2, 40, 600])
    vector, _, loss, last = [line.numbers for line in trace("wrong/no_upstream.py")][:4]
    assert (
        vector[:3] == [1, 1, 1] and loss[:3] == [1, 10, 100] and last[:3] == [2, 4, 6]
    )


@says(
    "With the tape around no `tf.function`, a rule that sums returns the scalar 12 where three"
    " numbers belong, and the tape hands it on.",
    "Eagerly and inside a `tf.function` the tape does not compare the shape with that of the input.",
    "Alone, the scalar comes back as it is.",
    "The rule sums.",
    "Wrong on purpose: a rule that sums what it should pass on in place.",
    was="no mode was named: with the tape around a tf.function it raises",
)
@over(mode=MODES)
def test_a_scalar_for_a_vector(mode):
    assert (raised(mode.gradient, SUMS, X) is None) == (mode in INSIDES)
    assert mode not in INSIDES or same(mode.gradient(SUMS, X), 12.0)


@says(
    "After a plain $x^2$ it is broadcast, and the shape is right while the numbers are not:"
    " $2 + 8 + 18 = 28$ times $2x$.",
    "After $2x$ it depends on the mode: another scalar with the tape inside a `tf.function`, and"
    " in eager mode an error that comes from the step before and does not name the rule.",
    "What happens depends on the step before:",
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
    "The sum in $\\upstream{\\bar y} \\, \\local{J}$ runs over the outputs, and the diagonal leaves"
    " one term of it; a rule that adds up the elements mixes what belongs to different inputs.",
    "Each of its elements is a sum of $n$ terms, and the diagonal leaves one of them:",
    "The right rule is `upstream * 2.0 * x`, without the sum.",
    "The right rule is `downstream = upstream * local`.",
    "In the numerator layout it has one row for each output and one column for each input:",
    "It is diagonal, $\\local{J} = \\operatorname{diag}(\\local{2x})$, because no output looks at"
    " another input.",
    "For each element it is that of one number, $\\d y_i = \\local{2 x_i} \\, \\d x_i$.",
    "$\\upstream{\\bar y_i}$ says how a small change of $y_i$ moves the number $L$; the effects of"
    " all $y_i$ add.",
    "A sum of products is a row times a column, so $\\upstream{\\bar y}$ is a row:",
    "What stands before $\\d x$ is again a row, the vector–Jacobian product $\\downstream{\\bar x} ="
    " \\upstream{\\bar y} \\, \\local{J}$.",
    "A vector of $n$ elements in, one of the same shape out, and output $i$ is made from input $i$"
    " alone:",
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
    r"In each of its $n$ rows at most one entry differs from zero, and the rule needs only its product with $\upstream{\bar y}$.",
    "For a million elements in float32, $\\local{J}$ would take $4 \\cdot 10^{12}$ bytes;"
    " $\\local{2x}$ takes $4 \\cdot 10^6$.",
    "The Jacobian is never built.",
)
@over(mode=[EAGER, INSIDE, AROUND, XLA])
def test_the_jacobian_is_never_built(mode):
    n = 10**6
    assert tf.float32.size * n**2 == 4e12 and tf.float32.size * n == 4e6
    assert mode.gradient(RIGHT, tf.ones(n)).shape == (n,)  # 4 TB would not fit
    assert np.count_nonzero(np.diag([2.0, 0.0, 6.0])) <= 3


@says(
    "In types: `grad :: upstream(y) → downstream(x)`, both of shape $[n]$.",
    "Rows and columns are bookkeeping on paper: in TensorFlow a tensor of shape $[n]$ is neither,"
    " and the rule is `upstream * 2.0 * x`.",
)
def test_neither_row_nor_column():
    assert (
        same(tf.transpose(X), X)
        and X.shape == (3,)
        and EAGER.gradient(RIGHT, X).shape == (3,)
    )
    assert raised(tf.matmul, X, X) is not None


@says(
    "Forward, both times: $y = (1, 4, 9)$.",
    "First call: $\\upstream{\\bar y} = (1, 1, 1)$, the local derivative is $\\local{2x} = (2, 4,"
    " 6)$, and so is the product.",
    "Second call: $\\upstream{\\bar y} = w = (1, 10, 100)$, the same $\\local{2x} = (2, 4, 6)$, and"
    " element by element $\\downstream{\\bar x} = (1 \\cdot 2, 10 \\cdot 4, 100 \\cdot 6) = (2, 40,"
    " 600)$.",
    "All shapes are `[3]`: the three numbers that $\\local{J}$ has on its diagonal, not its nine"
    " entries.",
    "The same rule twice: first the tape is asked for the gradient of $y$, then for that of the"
    " weighted sum with $w = (1, 10, 100)$.",
    "The elementwise square of [1, 2, 3]: one product, no Jacobian.",
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
    "Here the Jacobian is built, once, for three elements, to see that the product agrees.",
    "The loss is $L = \\sum_i w_i \\sin y_i$, so that $\\upstream{\\bar y_i} = w_i \\cos y_i$ is"
    " neither ones nor positive throughout.",
    "Three ways to one gradient: `tape.jacobian` of the plain square multiplied by the upstream row,"
    " the rule, and central differences of the plain loss, in float64.",
    "The diagonal is $\\local{2x}$ for $x = (-1.5, 0, 2)$, and everything beside it is zero.",
    "`upstream @ J` reads nine entries for three numbers.",
    "The rule of the square against upstream @ J and finite differences.",
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
    assert str(np.float64(-0.0) + 0.0) == "0.0" and str(np.float64(-0.0)) == "-0.0"


@says(
    "Its entries are right, and it is not what was asked for: the product with upstream leaves a"
    " vector.",
    "One line in the rule turns the silence into an error, `tf.ensure_shape` with the shape of the"
    " input.",
    "The rule returns the Jacobian.",
    "Wrong on purpose: the whole Jacobian goes back; ensure_shape stops it.",
)
@over(mode=INSIDES)
def test_the_whole_jacobian(mode):
    assert same(mode.gradient(JACOBIAN, X), np.diag([2.0, 4.0, 6.0]))
    assert raised(mode.gradient, GUARDED, X) is not None
    assert tf.ones(3)[None] @ tf.ones((3, 3)) is not None and (
        np.ones(3) @ np.ones((3, 3))
    ).shape == (3,)


@says(
    "A rule that multiplies element by element returns a vector for a scalar.",
    "Eagerly the tape hands it on, and the error comes later, where the variable is updated:",
    "In $y = a x$ with a scalar $a$ and a vector $x$, every output looks at $a$.",
    "An input is broadcast.",
    "Wrong on purpose: a scalar's gradient that keeps the broadcast shape.",
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
    "Before $\\d a$ stands a sum, for there is one $\\d a$ for all outputs:",
    "What the forward pass broadcasts, the rule sums.",
    "The Jacobian with respect to $a$ is a single column, not a diagonal, so here the sum stays.",
    "With $w = (1, 10, 100)$ as upstream, $\\downstream{\\bar a} = 1 \\cdot 1 + 10 \\cdot 2 + 100"
    " \\cdot 3 = 321$.",
    "A scalar times a vector: the scalar's gradient is a sum.",
    "The four steps say what is missing.",
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
    r"The differential is $\d z_i = \local{y_i} \, \d x_i + \local{x_i} \, \d y_i$: the Jacobians are $\frac{\partial z}{\partial x} = \operatorname{diag}(\local{y})$ and $\frac{\partial z}{\partial y} = \operatorname{diag}(\local{x})$.",
    "Both are diagonal, so both products are elementwise:",
    "With $\\upstream{\\bar z} = w$ they are $(4, 50, 600)$ and $(1, 20, 300)$.",
    "Solution: the elementwise product of two vectors, z = x ⊙ y.",
    "It has two Jacobians: which?",
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


definition(
    "With $\\odot$ for the product element by element, the rule is",
    "As one formula for all elements, with $\\d x$ and $\\d y$ as columns, the Jacobian $\\local{J}$"
    " stands between them:",
)
advice(
    "You need the four steps from the chain rule, and the product of a row with a matrix.",
    "The last mistake on this page and the exercise have two inputs, as in several variables.",
    "Test a rule for vectors with weights that differ.",
    "Write the rule for the elementwise product of two vectors, $z_i = x_i y_i$.",
    "Predict both gradients for $x = (1, 2, 3)$, $y = (4, 5, 6)$ and the loss $L = \\sum_i w_i z_i$"
    " with $w = (1, 10, 100)$.",
)
pointer(
    "This page shows what upstream is for a vector, why one elementwise product is the whole rule, and"
    " why the Jacobian is never built.",
)
