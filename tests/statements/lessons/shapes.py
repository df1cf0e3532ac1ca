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
    "A rule returns …",
    "The numbers in …",
    "One addition further …",
    "The next step …",
    "This rule stops …",
    "The gradient keeps …",
    "Wrong on purpose: a rule returns …",
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
    "The map sums …",
    "A scalar and …",
    "Each downstream gradient …",
    "The loss weights …",
    r"$\downstream{\bar s} = \upstream{1} \cdot \local{6} + \upstream{10} \cdot \local{15} = 156$, …",
    "Its shape is `[]`, …",
    r"$\downstream{\bar x}$ has …",
    "Its shape is `[2, 3]`, …",
    "Scaled row sums: …",
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
    r"What stands before $\d s$ …",
    r"What stands before $\d x_{ij}$ …",
    "The two directions …",
    "One for each …",
    "Both terms have …",
    r"$\upstream{\bar y}$ has …",
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
    "In numerator layout, …",
    "TensorFlow wants the …",
    "For a square …",
    "A formula from …",
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


@says("The rule turns …")
@over(dtype=FLOATS, shape=[(2, 3), (0, 3), (2, 0)])
def test_ones_like(dtype, shape):
    x = tf.zeros(shape, dtype)
    filled = tf.range(0, shape[0])[:, None]
    found = tf.cast(filled, dtype) * tf.ones_like(x)
    assert found.shape == x.shape and found.dtype == dtype
    assert all(len({*row}) < 2 for row in found.numpy().tolist())


@says(
    "An integer cannot …",
    "A rule still …",
    "Here the map …",
    "The integer is …",
    "`tape.gradient` hands the …",
    "The same is …",
    "An integer input …",
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
    "Eagerly, and inside …",
    "Around a `tf.function` …",
    "Your test must …",
    "Alone it returns …",
    "First row: no …",
    "A rule computes …",
    "The gradient has …",
    "Wrong on purpose: a rule computes …",
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
    "`tf.gradients`, which checks …",
    "A wrong shape …",
    "None of the …",
    "Wrong on purpose: three …",
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
    "Whether a wrong …",
    "`[2, 1]` meets …",
    "`[3, 2]` at …",
    "Where the gradients …",
    "It is the …",
    "Five wrong gradients …",
    "`None` is never …",
    "It ends the path.",
    "`SILENT` means that …",
    "Wrong on purpose: five …",
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
    "Do not count …",
    "A gradient in …",
    "Wrong on purpose: gradients …",
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


@says("In `was expected to be a double tensor but is a float tensor`, …")
def test_double_and_float():
    said = message(
        tf.multiply, tf.constant(1.0, tf.float64), tf.constant(1.0, tf.float32)
    )
    assert "expected to be a double tensor but is a float tensor" in said


@says(
    "`None` says that …",
    "Where it does …",
    "`None` for an …",
    "Wrong on purpose: None …",
)
@over(mode=MODES)
def test_none_hides(mode):
    lost = tf.custom_gradient(lambda s: (156 * s, lambda upstream: None))
    assert same(mode.gradient(lambda s: lost(s) + 3 * s**2, 2.0), 12.0)
    assert mode.gradient(lost, 2.0) is None
    rule, autodiff = trace("wrong/none_for_float.py")
    assert (rule.numbers[-1], autodiff.numbers[-1]) == (12, 12 + 156)


@says(
    "One item for …",
    "The `None` is …",
    "Wrong on purpose: an …",
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
    "This one asserts …",
    "The loss squares …",
    "Row sums: shape, …",
)
def test_the_check():
    single, double, rule, autodiff, differences = trace("check.py")
    assert "float32" in single.text and "float64" in double.text
    values = [each.text.partition("s: ")[2] for each in (rule, autodiff, differences)]
    assert len({*values}) == 1
    upstream = EAGER.gradient(lambda y: tf.reduce_sum(y**2 * [1.0, 10.0]), [12.0, 30.0])
    assert len({*upstream.numpy()}) == 2


@says(
    r"Before $\d W_{ij}$ …",
    "The first element …",
    "Solution: y = …",
    "Element by element, …",
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
    "You need the …",
    "End such a …",
    "Fill the matrix, …",
    "Derive the rule …",
    "Write it with …",
    "Predict both gradients …",
)
pointer(
    "Of this kind, …",
    "This page derives …",
)
