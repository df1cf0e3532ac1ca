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
    "So a gradient …",
    "The next step …",
    "The input is $x + b$ …",
    "This gradient function returns …",
    "The sum has …",
    "Deliberately wrong: a gradient …",
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
        line.numbers[-1] for line in trace("wrong/column.py") if "custom" in line.text
    ] == [22, 22]
    assert 2 * 11 == 22 and tf.size(column) == 2 and tf.size(right) == 6


@says(
    "The function sums …",
    "The inputs are …",
    "The rule is …",
    "Each downstream gradient …",
    "The loss weights …",
    "These weights are …",
    "`upstream` has one …",
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


def scaled_sums(s, x, alone):
    return s * tf.reduce_sum(x, 1) + tf.reduce_sum(alone, 1)


@says(
    r"The factor in front of $\d s$ …",
    r"The factor in front of $\d x_{ij}$ …",
    "The two passes …",
    "The forward pass broadcasts $s$ over …",
    "The forward pass sums each …",
    "If the forward pass broadcasts …",
    "If the forward pass sums …",
    "In code, the gradient …",
    r"For example, take $y_i = …",
    "The forward pass broadcasts $s$ and sums …",
    "Each element of $y$ …",
    "The sum over …",
    "After the sum …",
    "So each term …",
    r"$\upstream{\bar y}$ has …",
)
@over(mode=MODES, dtype=FLOATS[2:], x=arrays((2, 3), numbers(-9, 9)))
def test_shapes_and_dtypes(mode, dtype, x):
    x = tf.cast(x, dtype)
    s = tf.cast(2.0, dtype)
    ds, dx, of_sums = mode.gradients(scaled_sums, s, x, x, loss=LOSSES["dense"])
    assert (ds.shape, ds.dtype) == (s.shape, s.dtype) and (dx.shape, dx.dtype) == (
        x.shape,
        x.dtype,
    )
    assert same(dx, [[2] * 3, [4] * 3])
    upstream = tf.cast([1, 2], dtype)
    assert same(dx, s * upstream[:, tf.newaxis] * tf.ones_like(x))
    assert same(of_sums, upstream[:, tf.newaxis] * tf.ones_like(x))
    assert raised(lambda: upstream * tf.ones_like(x)) is not None
    assert same(ds, tf.reduce_sum(tf.reduce_sum(x, 1) * tf.cast([1, 2], dtype)), 1e-4)


@says(
    "In numerator layout, …",
    "TensorFlow needs the …",
    "If the input is …",
    "So a formula …",
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
    "`grad` turns `upstream` …",
    "Multiplying by `tf.ones_like(x)` …",
    was="'and the dtype': a product with another dtype raises",
)
@over(dtype=FLOATS, shape=[(2, 3), (0, 3), (2, 0)])
def test_ones_like(dtype, shape):
    x = tf.zeros(shape, dtype)
    filled = tf.range(0, shape[0])[:, None]
    found = tf.cast(filled, dtype) * tf.ones_like(x)
    assert found.shape == x.shape and found.dtype == dtype
    assert all(len({*row}) < 2 for row in found.numpy().tolist())
    another = tf.float64 if dtype != tf.float64 else tf.float32
    assert raised(tf.multiply, tf.cast(filled, another), tf.ones_like(x)) is not None


@says(
    "An integer can't …",
    "But a gradient …",
    "As an example, …",
    "The program casts …",
    "`tape.gradient` returns the …",
    "You can also …",
    "For an integer …",
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
    text = source("none.py")
    assert text.count("def grad(") == 1 and "(tf.float32, tf.float64)" in text
    assert len((tf.float32, tf.float64)) == 2


@says(
    "TensorFlow usually checks …",
    "In eager mode, TensorFlow …",
    "If the tape is inside …",
    "If the tape is outside …",
    "Your test must …",
    "If `row_sums` is …",
    "If `row_sums` comes …",
    "In the first …",
    "This gradient function computes …",
    "Deliberately wrong: grad computes …",
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
    "`tf.gradients` checks the …",
    "A wrong shape …",
    "If TensorFlow raises …",
    "It can also …",
    "where gradients are …",
    "where a variable …",
    "in `tf.gradients`, or …",
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
    added, updated = said[2:]
    assert (
        "Inputs to operation AddN of type AddN must have the same size and shape"
        in added
    )
    assert "Cannot update variable" in updated
    places = ["added", "updated", "tf.gradients"]
    assert len(places) == 3


@says(
    "Whether a wrong …",
    "A wrong shape …",
    "In the second …",
    "But this is …",
    "The product broadcasts …",
    "In the third …",
    "The gradient of `b` …",
    "The sum doesn't …",
    "In the last …",
    "So this row …",
    "The program tries …",
    "In the printed …",
    "Each row is …",
    "`None` never raises …",
    "`SILENT` means that …",
    "Deliberately wrong: five …",
)
def test_who_notices():
    head, *rows, same_in_graph = trace("wrong/who_notices.py")
    table = {row.text[:11].strip(): row.text[11:].split() for row in rows}
    assert len(table) == 4 and len(rows[0].text[11:].split()) == 5
    assert list(table)[1] == "f(sin x)" and tf.size(X) == 6
    assert [*table] == ["f(x)", "f(sin x)", "f(X + b)", "f(x) + g(x)"]
    assert table["f(x)"] == ["SILENT"] * 5 and table["f(sin x)"][0] == "right"
    assert table["f(X + b)"][0] == "SILENT" and "error" in table["f(sin x)"]
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
    "Some optimizers raise …",
    "Of the Keras …",
    "Adam, RMSprop and …",
    "All of these …",
    "Deliberately wrong: gradients …",
)
def test_the_update():
    head, *rows = trace("wrong/update.py")
    assert head.text.split() == ["[2,", "1]", "float64"]
    assert [row.text.split() for row in rows] == [
        ["SGD", "refused", "accepted"], ["Adagrad", "refused", "accepted"], ["momentum", "accepted", "accepted"],
        ["RMSprop", "accepted", "accepted"], ["Adam", "accepted", "accepted"],
    ]  # fmt: skip
    full, column = tf.Variable(X), tf.Variable(X)
    assert full.dtype == tf.float32 and "tf.Variable([[1.0," in source(
        "wrong/update.py"
    )
    for variable, gradient in (
        (full, tf.constant([[2.0] * 3, [20.0] * 3])),
        (column, tf.constant([[2.0], [20.0]])),
    ):
        tf.keras.optimizers.Adam(0.1).apply([gradient], [variable])
    assert same(full, column)


@says("In the message …")
def test_double_and_float():
    said = message(
        tf.multiply, tf.constant(1.0, tf.float64), tf.constant(1.0, tf.float32)
    )
    assert "expected to be a double tensor but is a float tensor" in said


@says(
    "If `grad` returns …",
    "If the input does …",
    "It can still …",
    "In this program, …",
    "The result is …",
    "Deliberately wrong: None …",
)
@over(mode=MODES)
def test_none_hides(mode):
    lost = tf.custom_gradient(lambda s: (156 * s, lambda upstream: None))
    assert same(mode.gradient(lambda s: lost(s) + 3 * s**2, 2.0), 12.0)
    assert mode.gradient(lost, 2.0) is None
    rule, autodiff = trace("wrong/none_for_float.py")
    assert (rule.numbers[-1], autodiff.numbers[-1]) == (12, 12 + 156)


@says(
    "`grad` returns one …",
    "`grad` must return one …",
    "The `grad` below …",
    "The program prints …",
    "In a graph, …",
    "Deliberately wrong: an …",
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
    "The next test …",
    "Then it compares …",
    "The loss squares …",
    "The gradients have …",
    "The custom gradient, …",
    "Check shape, dtype …",
)
def test_the_check():
    single, double, custom, autodiff, differences = trace("check.py")
    assert "float32" in single.text and "float64" in double.text
    values = [each.text.partition("s: ")[2] for each in (custom, autodiff, differences)]
    assert len(values) == 3 and len({*values}) == 1
    upstream = EAGER.gradient(lambda y: tf.reduce_sum(y**2 * [1.0, 10.0]), [12.0, 30.0])
    assert len({*upstream.numpy()}) == 2


@says(
    r"The factor in front of $\d W_{ij}$ …",
    r"The factor in front of $\d x_j$ …",
    "The first element …",
    "Solution: the gradient …",
    "Element by element, …",
    r"With $\upstream{\bar y}$ and …",
    "The program compares …",
)
def test_the_solution():
    _, downstream_x, *_, of_W, of_x = trace("solution.py")
    assert (
        downstream_x["downstream_x"][0] == 41
        and "(2, 3)" in of_W.text
        and "(3,)" in of_x.text
    )
    assert all("True" in each.text for each in (of_W, of_x))
    W, x = tf.reshape(tf.range(1.0, 7.0), (2, 3)), tf.constant([1.0, 0.0, -1.0])
    upstream, column = tf.constant([[1.0], [10.0]]), x[:, tf.newaxis]
    found = EAGER.gradients(
        lambda W, x: tf.reduce_sum(tf.linalg.matvec(W, x) * [1.0, 10.0]), W, x
    )
    assert same(found[0], upstream @ tf.transpose(column))
    assert same(found[1], (tf.transpose(W) @ upstream)[:, 0])


@says("The shape is …", "The forward pass broadcasts `b` …", "Predict: a bias.")
@over(mode=MODES)
def test_a_bias(mode):
    x, weights = tf.ones((4, 3)), tf.reshape(tf.range(12.0), (4, 3))
    found = mode.gradient(lambda b: tf.reduce_sum(weights * (x + b)), tf.ones(3))
    assert found.shape == (3,) and same(found, tf.reduce_sum(weights, axis=0))
    assert x.shape[0] == 4


@says(
    "`grad` must return three items …",
    "Two of them …",
    "A decorated function …",
    "Predict: three inputs.",
)
@over(mode=MODES)
def test_three_inputs(mode):
    returned = []

    @tf.custom_gradient
    def f(x, mask, n):
        def grad(upstream):
            returned.append((upstream * mask, None, None))
            return returned[-1]

        return x * mask * tf.cast(n, x.dtype) / 3.0, grad

    mask, n = tf.constant([1.0, 0.0]), tf.constant(3)
    assert same(mode.gradient(lambda x: f(x, mask, n), [2.0, 5.0]), [1.0, 0.0])
    assert len(returned[0]) == 3 and returned[0].count(None) == 2
    assert [each is None for each in returned[0]].count(False) == 1


@says(
    "The picture shows how …",
    "The upper half …",
    "All elements of …",
    "Above, from left to …",
    "Below, from right to …",
    "In each row, …",
    "Sums of rows in …",
)
@over(mode=MODES)
def test_the_figure(mode):
    [plot] = drawn("figure.py")[0].axes
    shown = {}
    for each in plot.texts:
        shown.setdefault(round(each.get_position()[1], 2), []).append(each)
    rows = [
        [
            float(each.get_text())
            for each in sorted(shown[height], key=lambda each: each.get_position())
            if each.get_text()
        ]
        for height in sorted(shown)[::-1]
        if any(each.get_text().isdigit() for each in shown[height])
    ]
    assert rows[:2] == [[1, 2, 3, 6, 12], [4, 5, 6, 15, 30]]
    assert rows[2:] == [[2, 2, 2, 2, 1], [20, 20, 20, 20, 10]]
    s, x = 2.0, np.array([rows[0][:3], rows[1][:3]], np.float32)
    f = lambda x: s * tf.reduce_sum(x, axis=1)  # noqa: E731
    weighted = lambda y: tf.reduce_sum(y * [1.0, 10.0])  # noqa: E731
    found = mode.gradient(lambda x: weighted(f(x)), x)
    assert same(found, [row[:3] for row in rows[2:]]) and same(f(x), [12, 30])
    assert len(set(found.numpy()[0])) == len(set(found.numpy()[1])) == 1
    assert len(found.numpy()[0]) == 3
    lines = [line.text for line in trace("shapes.py")]
    assert "backward upstream = [1 10]" in lines and " [20 20 20]]" in lines
    assert "forward  r = [6 15]  y = [12 30]" in lines
    arrows = [each for each in plot.texts if hasattr(each, "arrow_patch")]
    right = {each.xy[1] for each in arrows if each.xyann[0] < each.xy[0]}
    left = {each.xy[1] for each in arrows if each.xyann[0] > each.xy[0]}
    assert min(right) > max(left) and (len(right), len(left)) == (2, 2)


@says("However, if the …", "However, a call …")
@over(
    mode=[m for m in BLOCKS if m.name in ("branch, tape inside", "loop, tape inside")]
)
def test_what_a_block_compares(mode):
    assert "Incompatible shapes" in message(mode.gradient, COLUMN, X)
    loop = lambda x: tf.while_loop(  # noqa: E731
        lambda i, y: i < 1, lambda i, y: (i + 1, FLOAT64(x)), (0, tf.zeros([2]))
    )[1]
    branch = lambda x: tf.cond(  # noqa: E731
        tf.reduce_sum(x) > 0.0, lambda: FLOAT64(x), lambda: tf.reduce_sum(x, 1)
    )
    for function in (loop, branch):
        for place in (INSIDE, AROUND):
            assert raised(place.gradient, function, X) is not None


advice(
    "You need the …",
    "If a gradient …",
    "Assert the shape …",
    "The fix is to …",
    "The fix is `tf.cast(downstream, …",
    "The fix is `return …",
    "Derive the gradient …",
    "Write the formulas …",
    "Predict both gradients …",
    "Compare the custom …",
    "Look at where …",
    "Look at the gradient …",
    "In the output, …",
    "Make two quick …",
)
definition("Let $r$ be …", "The type of …", "Let `y = x …")
pointer(
    "After this lesson …",
    "For more mistakes …",
    "The lab training …",
    "What the tape …",
    "Derive: a matrix …",
)
