"""What the page on shapes, dtypes and None says in words."""

from truth.statements.tries import *

X = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def row_sums(returned):
    """Twice the row sums; its rule returns what is made of the right gradient."""

    @tf.custom_gradient
    def f(x):
        def grad(upstream):
            upstream = tf.convert_to_tensor(upstream)
            return returned(2 * upstream[:, None] * tf.ones_like(x))

        return 2 * tf.reduce_sum(x, 1), grad

    return f


INSIDES = [EAGER, PERSISTENT, INSIDE, XLA]
"""A tape around a function has its backward pass built as tf.gradients builds it."""
COLUMN = row_sums(lambda good: good[:, :1])
FLOAT64 = row_sums(lambda good: tf.cast(good, tf.float64))
NONE = row_sums(lambda good: None)


def weighted(y):
    return tf.reduce_sum(y * [1.0, 10.0])


@says(
    "A rule returns a column of shape `[2, 1]` for an input of shape `[2, 3]`.",
    "The numbers in it are right, and they would broadcast.",
    "One addition further back the gradient of an offset $b$ is summed from it and comes out"
    " as 22, where 66 is right; eagerly, and with the tape inside a `tf.function`,"
    " TensorFlow says nothing.",
    "The next step on the way back, $x + b$ with a scalar $b$, sums what arrives to get the"
    " gradient of $b$: two numbers, where six belong.",
    "This rule stops at the column and leaves the rest to broadcasting.",
    "The gradient keeps a shape of its own.",
    "Wrong on purpose: a rule returns [2, 1] for an input of shape [2, 3].",
    was="no mode was named: with the tape around a tf.function it raises",
)
@over(mode=INSIDES)
def test_the_column(mode):
    right = mode.gradient(row_sums(tf.identity), X, weighted)
    column = mode.gradient(COLUMN, X, weighted)
    assert column.shape == (2, 1) and same(column + tf.zeros_like(X), right)
    assert same(mode.gradient(lambda b: COLUMN(X + b), 0.0, weighted), 22.0)
    assert same(
        mode.gradient(lambda b: row_sums(tf.identity)(X + b), 0.0, weighted), 66.0
    )
    assert [
        line.numbers[-1] for line in trace("wrong/column.py") if "rule" in line.text
    ] == [22, 22]
    assert 2 * 11 == 22 and tf.size(column) == 2 and tf.size(right) == 6


@says(
    "The map sums each row of a matrix and scales the sums by one number.",
    "A scalar and a matrix in, a vector out; $r$ names the row sums, which the rule will need"
    " again:",
    "Each downstream gradient has the shape and the dtype of its input.",
    "The loss weights the outputs by 1 and 10: this is `upstream`, of shape `[2]`, like $y$.",
    "$\\downstream{\\bar s} = \\upstream{1} \\cdot \\local{6} + \\upstream{10} \\cdot \\local{15} ="
    " 156$, summed over $i$.",
    "Its shape is `[]`, like $s$.",
    "$\\downstream{\\bar x}$ has $\\upstream{1} \\cdot \\local{2}$ three times in the first row"
    " and $\\upstream{10} \\cdot \\local{2}$ three times in the second.",
    "Its shape is `[2, 3]`, like $x$.",
    "Scaled row sums: shapes and dtypes of every factor of the rule.",
)
def test_the_trace():
    lines = trace("shapes.py")
    forward, backward, s, _, first, second, y, of_s, of_x = lines
    assert (
        forward["r"] == [6, 15]
        and forward["y"] == [12, 30]
        and backward["upstream"] == [1, 10]
    )
    assert s["downstream_s"] == 156 == 1 * 6 + 10 * 15
    assert (first.numbers, second.numbers) == ([2] * 3, [20] * 3)
    assert y.text == "y: [2] float32"
    for line, shape in ((of_s, "[] float32"), (of_x, "[2, 3] float32")):
        assert line.text.count(shape) == 2


@says(
    "What stands before $\\d s$ has no index left: a scalar, like $s$.",
    "What stands before $\\d x_{ij}$ has one number for each $i$ and $j$: a matrix, like $x$,"
    " though nothing in it depends on $j$.",
    "The two directions mirror each other: $s$ was spread over the rows on the way forward, so"
    " its gradient is summed on the way back; the row was summed on the way forward, so its"
    " gradient is spread on the way back.",
    "One for each element of $y$, with one term for each number that may move.",
    "Both terms have the index $i$ alone, the shape `[2]` of the output:",
    "$\\upstream{\\bar y}$ has one number for each element of $y$, and the effects on $L$ add.",
)
@over(mode=MODES, dtype=FLOATS[2:], x=arrays((2, 3), numbers(-9, 9)))
def test_shapes_and_dtypes(mode, dtype, x):
    x = tf.cast(x, dtype)
    s = tf.cast(2.0, dtype)
    ds, dx = mode.gradients(
        lambda s, x: s * tf.reduce_sum(x, 1), s, x, loss=LOSSES["dense"]
    )
    assert (ds.shape, ds.dtype) == (s.shape, s.dtype) and (dx.shape, dx.dtype) == (
        x.shape,
        x.dtype,
    )
    assert same(dx, [[2] * 3, [4] * 3])
    assert same(ds, tf.reduce_sum(tf.reduce_sum(x, 1) * tf.cast([1, 2], dtype)), 1e-4)


@says(
    "In numerator layout, the derivative of the scalar $L$ by the matrix $x \\in \\R^{2 \\times"
    " 3}$ is written as a $3 \\times 2$ matrix.",
    "TensorFlow wants the transpose of it, with the shape of the input:",
    "For a square matrix no shape gives that away; a comparison of values does.",
    "A formula from a paper or a table may need a transpose before it becomes code.",
)
@over(mode=INSIDES, size=[2, 3])
def test_a_transpose_of_a_square(mode, size):
    weights = tf.reshape(tf.range(2.0 * size), (2, size))
    assert mode.gradient(lambda x: weights * x, tf.ones((2, size))).shape == (2, size)
    flipped = tf.custom_gradient(
        lambda x: (weights * x, lambda u: tf.transpose(u * weights))
    )
    found = mode.gradient(flipped, tf.ones((2, size)))
    assert (found.shape == (2, size)) == (size == 2) and not same(found, weights)


@says(
    "The rule turns `upstream`, one number for each row, into a column and fills the matrix"
    " with it; `tf.ones_like(x)` brings shape and dtype from the input."
)
@over(dtype=FLOATS, shape=[(2, 3), (0, 3), (2, 0)])
def test_ones_like(dtype, shape):
    x = tf.zeros(shape, dtype)
    filled = tf.range(0, shape[0])[:, None]
    found = tf.cast(filled, dtype) * tf.ones_like(x)
    assert found.shape == x.shape and found.dtype == dtype
    assert all(len({*row}) < 2 for row in found.numpy().tolist())


@says(
    "An integer cannot move by a small amount, so it has no differential and no gradient.",
    "A rule still returns one item for each input, and in this place it returns `None`.",
    "Here the map is a power with an integer $n$:",
    "The integer is cast to the dtype of $x$, so the same rule serves two dtypes.",
    "`tape.gradient` hands the `None` on.",
    "The same is right for a constant such as a mask, of whatever dtype, as long as nobody"
    " wants its gradient.",
    "An integer input gets None: x to the power n, in two dtypes.",
)
@over(
    mode=TAPES,
    dtype=[tf.float32, tf.float64],
    n=[1, 2, 3],
    of=[tf.int32, tf.float32, tf.bool],
)
def test_none_for_an_integer(mode, dtype, n, of):
    @tf.custom_gradient
    def power(x, n, mask):
        exponent = tf.cast(n, x.dtype)
        return x**exponent, lambda u: (u * exponent * x ** (exponent - 1), None, None)

    x = tf.cast([1.0, 2.0], dtype)
    mask = tf.cast([1, 0], of)
    if of == tf.float32 or mode in (EAGER, PERSISTENT):
        dx, dn, dmask = mode.gradients(power, x, tf.constant(n), mask)
        assert dn is None and dmask is None and dx.dtype == dtype
        assert same(dx, [n, n * 2.0 ** (n - 1)], 1e-6)


@says(
    "Eagerly, and inside a `tf.function`, a tape compares neither the shape nor the dtype that"
    " a rule returns with those of its input.",
    "Around a `tf.function` the shape is compared, and the dtype is not.",
    "Your test must compare both.",
    "Alone it returns a float64 gradient for a float32 input, and nobody objects, in no mode;"
    " when it arrives at a sine, the sine's own rule fails.",
    "First row: no step follows, so what the rule returns is the result.",
    "A rule computes in float64 for accuracy and does not cast back.",
    "The gradient has another dtype.",
    "Wrong on purpose: a rule computes in float64 and does not cast back.",
    was="'a tape compares neither': around a tf.function it raises for the shape",
)
@over(mode=MODES)
def test_what_a_tape_compares(mode):
    refuses = raised(mode.gradient, COLUMN, X) is not None
    assert refuses == (mode not in INSIDES)
    assert refuses or mode.gradient(COLUMN, X).shape == (2, 1)
    assert mode.gradient(FLOAT64, X).dtype == tf.float64
    assert raised(mode.gradient, lambda x: FLOAT64(tf.sin(x)), X) is not None


@says(
    "`tf.gradients`, which checks the shape, lets the dtype pass.",
    "A wrong shape becomes an error where gradients are added up, where a variable is updated,"
    " and in `tf.gradients`, which checks the shape of each gradient and also works where the"
    " tape is around a `tf.function`.",
    "None of the three messages names your rule.",
    "Wrong on purpose: three places where a wrong shape becomes an error.",
)
def test_three_places():
    assert SYMBOLIC.gradient(FLOAT64, X).dtype == tf.float64
    two_paths = lambda x: COLUMN(x) + tf.reduce_sum(x, 1)  # noqa: E731
    said = [message(mode.gradient, COLUMN, X) for mode in (SYMBOLIC, AROUND)]
    assert all("Incompatible shapes" in each for each in said)
    said.append(message(EAGER.gradient, two_paths, X))
    variable = tf.Variable(X)
    said.append(message(variable.assign_sub, tf.ones((2, 1))))
    assert all(said) and not any("grad(" in each for each in said)
    printed = [line.text for line in trace("wrong/messages.py")]
    assert not any("row_sums" in text for text in printed)


@says(
    "Whether a wrong gradient is found depends on the step that it meets next on the way back.",
    "`[2, 1]` meets the cosine, an array of shape `[2, 3]`, and broadcasts to the right numbers:"
    " right by luck, until the model changes.",
    "`[3, 2]` at `X + b` holds the right six numbers in wrong places, and their sum does not"
    " care.",
    "Where the gradients of two paths meet they are added, and the addition demands equal shapes"
    " and dtypes.",
    "It is the strictest place of the four.",
    "Five wrong gradients for the same $x$ of shape `[2, 3]`, in float32, and four places: `f` of"
    " $x$ itself; of a sine; of the sum `X + b`, where the gradient of the scalar `b` is asked for;"
    " and beside a second function of `x`.",
    "`None` is never an error here.",
    "It ends the path.",
    "`SILENT` means that a wrong result came back without an error.",
    "Wrong on purpose: five wrong gradients for x, and who notices them.",
)
def test_who_notices():
    head, *rows, same_in_graph = trace("wrong/who_notices.py")
    table = {row.text[:11].strip(): row.text[11:].split() for row in rows}
    assert [*table] == ["f(x)", "f(sin x)", "f(X + b)", "f(x) + g(x)"]
    assert table["f(x)"] == ["SILENT"] * 5 and table["f(sin x)"][0] == "right"
    assert table["f(X + b)"][2] == "right" and {row[-1] for row in table.values()} == {
        "SILENT"
    }
    errors = {name: row.count("error") for name, row in table.items()}
    assert (
        errors["f(x) + g(x)"]
        == 4
        > max(n for name, n in errors.items() if name != "f(x) + g(x)")
    )
    assert head.text.split("  ")[-1].strip() == "None" and "True" in same_in_graph.text


@says(
    "Do not count on the update either: of the Keras optimizers, plain SGD and Adagrad refuse"
    " this `[2, 1]`; Adam, RMSprop and SGD with momentum take it and let it broadcast.",
    "A gradient in float64 is refused by none of them.",
    "Wrong on purpose: gradients that not every optimizer refuses.",
)
def test_the_update():
    head, *rows = trace("wrong/update.py")
    assert head.text.split() == ["[2,", "1]", "float64"]
    assert [row.text.split() for row in rows] == [
        ["SGD", "refused", "taken"], ["Adagrad", "refused", "taken"], ["momentum", "taken", "taken"],
        ["RMSprop", "taken", "taken"], ["Adam", "taken", "taken"],
    ]  # fmt: skip
    full, column = tf.Variable(X), tf.Variable(X)
    for variable, gradient in (
        (full, tf.constant([[2.0] * 3, [20.0] * 3])),
        (column, tf.constant([[2.0], [20.0]])),
    ):
        tf.keras.optimizers.Adam(0.1).apply([gradient], [variable])
    assert same(full, column)


@says(
    "In `was expected to be a double tensor but is a float tensor`, `double` is float64 and"
    " `float` is float32."
)
def test_double_and_float():
    said = message(
        tf.multiply, tf.constant(1.0, tf.float64), tf.constant(1.0, tf.float32)
    )
    assert "expected to be a double tensor but is a float tensor" in said


@says(
    "`None` says that this input needs no gradient.",
    r"Where it does need one, the contribution through the rule is missing, and the others hide it: here the penalty sends $\frac{\d}{\d s} (3 s^2) = 6 s = 12$, and the 156 from the rows is lost.",
    "`None` for an input that has a gradient.",
    "Wrong on purpose: None for an input that has a gradient.",
)
@over(mode=MODES)
def test_none_hides(mode):
    lost = tf.custom_gradient(lambda s: (156 * s, lambda upstream: None))
    assert same(mode.gradient(lambda s: lost(s) + 3 * s**2, 2.0), 12.0)
    assert mode.gradient(lost, 2.0) is None
    rule, autodiff = trace("wrong/none_for_float.py")
    assert (rule.numbers[-1], autodiff.numbers[-1]) == (12, 12 + 156)


@says(
    "One item for each input, also for those without a gradient: `return downstream, None`, as"
    " above.",
    "The `None` is left out.",
    "Wrong on purpose: an input without gradient is left out, not None.",
)
@over(mode=MODES)
def test_one_item_for_each_input(mode):
    left_out = tf.custom_gradient(lambda x, n: (x * tf.cast(n, x.dtype), lambda u: u))
    said = message(mode.gradient, lambda x: left_out(x, tf.constant(3)), 2.0)
    told = "expected to return 2 gradients, but returned 1 instead" in said
    assert said and told == (mode in (EAGER, PERSISTENT))
    given = tf.custom_gradient(
        lambda x, n: (x * tf.cast(n, x.dtype), lambda u: (u, None))
    )
    assert same(mode.gradient(lambda x: given(x, tf.constant(3)), 2.0), 1.0)


@says(
    "This one asserts both in float32 and in float64, then compares values with autodiff and"
    " with central differences.",
    "The loss squares $y$, so upstream differs for each element.",
    "Row sums: shape, dtype and value of each gradient, checked.",
)
def test_the_check():
    single, double, rule, autodiff, differences = trace("check.py")
    assert "float32" in single.text and "float64" in double.text
    values = [each.text.partition("s: ")[2] for each in (rule, autodiff, differences)]
    assert len({*values}) == 1
    upstream = EAGER.gradient(lambda y: tf.reduce_sum(y**2 * [1.0, 10.0]), [12.0, 30.0])
    assert len({*upstream.numpy()}) == 2


@says(
    "Before $\\d W_{ij}$ stand two indices, a matrix of shape `[2, 3]`; before $\\d x_j$ stands"
    " one, a vector of shape `[3]`.",
    "The first element of $\\downstream{\\bar x}$ is $\\upstream{1} \\cdot \\local{1} +"
    " \\upstream{10} \\cdot \\local{4} = 41$.",
    "Solution: y = W x, where the shapes leave one way to write the rule.",
    "Element by element, $y_i = \\sum_j W_{ij} x_j$, so",
)
def test_the_solution():
    _, downstream_x, *_, of_W, of_x = trace("solution.py")
    assert (
        downstream_x["downstream_x"][0] == 41
        and "(2, 3)" in of_W.text
        and "(3,)" in of_x.text
    )
    assert all("True" in each.text for each in (of_W, of_x))


advice(
    "You need the four steps from the chain rule, rules with two inputs from several variables, and"
    " upstream as an array from vectors.",
    "End such a rule with `tf.cast(downstream, x.dtype)`.",
    "Fill the matrix, as in the snippet above.",
    "Derive the rule of $y = W x$ with $W \\in \\R^{2 \\times 3}$ and $x \\in \\R^3$.",
    "Write it with indices first, then as products of whole arrays, and check the shapes.",
    "Predict both gradients for $L = y_1 + 10 y_2$, with",
)
pointer(
    "Of this kind, in the catalogue: shapes.",
    "This page derives a rule whose shapes change on the way, says what shape, dtype or `None`"
    " belongs in each place, and shows where a wrong one is noticed.",
)
