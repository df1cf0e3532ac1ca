"""What the page on the vector–Jacobian product says in words."""

import functools

from truth.statements.tries import *

FEW = [EAGER, AROUND, XLA]
X = tf.constant([2.0, 3.0, 0.0])
W = tf.constant([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]])


def pair(x):
    return tf.stack([x[0] * x[1], x[1] * tf.sin(x[2])])


def jacobian_of_pair(x):
    x1, x2, x3 = np.asarray(x, float)
    return np.array([[x2, x1, 0], [0, np.sin(x3), x2 * np.cos(x3)]])


MAPS = {
    "pair": pair,
    "softmax": tf.nn.softmax,
    "running sum": tf.cumsum,
    "matrix": lambda x: tf.linalg.matvec(W, tf.square(x)),
    "norm": lambda x: tf.norm(x + 5.0)[None],
    "sort": tf.sort,
}
"""Of three numbers."""


def pulled(f, x, row=None, persistent=False):
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, output_gradients=row)


def rows_of(f, x):
    """The Jacobian, row by row: without tape.jacobian, which traces a graph."""
    return np.stack([pulled(f, x, row) for row in tf.eye(len(f(x)))])


def jacobian(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x)


def by_differences(f, x, h=1e-2):
    x = tf.constant(x)
    steps = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in tf.eye(len(x))]
    return np.stack(steps, 1)


THREE = arrays((3,), numbers(-2, 2, around=[1]))

# Rows.


@says(
    "For a softmax …",
    "The outputs of this …",
    "All nine derivatives …",
    "The gradient is …",
)
def test_a_softmax():
    x = tf.constant([1.0, 2.0, 3.0])
    assert np.allclose(pulled(tf.nn.softmax, x), 0, atol=1e-7)
    slopes = np.asarray(jacobian(tf.nn.softmax, x))
    assert slopes.shape == (3, 3) and abs(slopes).min() > 0.02
    assert trace("wrong/sums.py")[4].numbers[-1] == 0.2227 == slopes[2, 2].round(4)
    assert trace("wrong/sums.py")[0].numbers == [0, 0, 0]


@functools.cache
def totals(x):
    return [by_differences(f, [*x]).sum(0) for f in MAPS.values()]


@says(
    "If the target is a …",
    "For a vector, `tape.gradient` …",
    "`tape.gradient(y, x)` uses …",
)
@over(mode=MODES, x=[(0.5, -1.0, 2.0)])
def test_it_adds_the_rows(mode, x):
    found = mode.gradients(
        lambda *xs: [f(x) for f, x in zip(MAPS.values(), xs)], *[[*x]] * len(MAPS)
    )
    assert np.allclose(found, totals(x), 1e-2, 1e-2)


@says(
    "`tape.gradient(y, x, output_gradients=row)` …",
    "If the target is the …",
    "To weight the …",
    "With $(5, -1)$ …",
    "For a weighted …",
)
@over(graph=[lambda f: f, tf.function], x=THREE, row=arrays((2,), numbers(-9, 9)))
def test_any_row(graph, x, row):
    x = tf.constant(x)
    for each in (row, np.float32([5, -1])):
        found = graph(lambda x: pulled(pair, x, tf.constant(each)))(x)
        assert np.allclose(found, each @ jacobian_of_pair(x), 1e-3, 1e-4)
    loss = EAGER.gradient(lambda x: 5.0 * pair(x)[0] - pair(x)[1], x)
    assert same(found, loss, 1e-5)


@says(
    "The outputs of a …",
    was="'always': of an infinity it is NaN",
)
@over(dtype=FLOATS, x=arrays(st.sampled_from([(1,), (3,), (50,)]), numbers()), cases=60)
def test_a_softmax_adds_up_to_one(dtype, x):
    x = tf.cast(x, dtype)
    if np.isfinite(np.asarray(x, np.float32)).all():
        near_0 = {tf.float16: 4e-3, tf.bfloat16: 4e-2}.get(dtype, 1e-5)
        total = tf.reduce_sum(tf.cast(tf.nn.softmax(x), tf.float64))
        assert abs(total - 1) < near_0
        slope = np.asarray(pulled(tf.nn.softmax, x), np.float32)
        assert abs(slope).max() < near_0


# Derivation.

of_pair = tf.function(lambda x: jacobian(pair, x))


@says(
    "A vector of …",
    "Each output has …",
    r"The Jacobian $\local{J}$ …",
    "The Jacobian turns …",
    "The types, with …",
    "The function of …",
    "In this example, …",
)
@over(x=THREE)
def test_the_jacobian_of_the_pair(x):
    found = np.asarray(of_pair(tf.constant(x)))
    assert found.shape == (2, 3) and np.allclose(found, jacobian_of_pair(x), 1e-4, 1e-5)
    looks = np.asarray(of_pair(tf.constant([1.0, 2.0, 0.5]))) != 0
    assert same(looks.sum(1), [2, 2])
    assert pulled(pair, X, tf.ones(2)).shape == [3]


@says(
    "The changes of …",
    "A gradient function multiplies …",
    "`upstream` is the …",
    "This Jacobian is …",
    "The gradient function returns …",
    r"$\upstream{\bar y_i}$ is …",
    "The factor in …",
    "A gradient function takes …",
    "It needs the …",
    "A row times a matrix …",
)
@over(
    f=MAPS, x=THREE, dx=arrays((3,), numbers(-1, 1)), row=arrays((3,), numbers(-9, 9))
)
def test_row_times_matrix_times_column(f, x, dx, row):
    x = tf.constant(x)
    row = row[: len(f(x))]
    downstream = np.asarray(pulled(f, x, tf.constant(row)))
    J = np.asarray(rows_of(f, x))
    assert np.allclose(downstream, row @ J, 1e-4, 1e-4)
    assert np.isclose(downstream @ dx, row @ (J @ dx), 1e-3, 1e-3)


@says(
    "It is linear …",
)
@over(u=arrays((2,), numbers(-9, 9)), v=arrays((2,), numbers(-9, 9)), k=numbers(-9, 9))
def test_linear_in_the_row(u, v, k):
    rule = program("forward.py").pair
    x = tf.constant([0.5, 2.0, 1.0])

    def back(row):
        return np.asarray(pulled(rule, x, tf.constant(row, tf.float32)), float)

    assert np.allclose(back(u + k * v), back(u) + k * back(v), 1e-3, 1e-3)
    assert np.count_nonzero(jacobian_of_pair(X + 1.0) == 0) == 2
    graph = (
        tf.function(lambda row: pulled(rule, x, row))
        .get_concrete_function(tf.ones(2))
        .graph
    )
    backward = [
        op
        for op in graph.get_operations()
        if "pair" in op.name or "gradient_tape" in op.name
    ]
    assert all(
        len(out.shape) < 2
        for op in backward
        for out in op.outputs
        if out.shape.rank is not None
    )


@says(
    "Reverse mode starts …",
    "$L$ is a …",
    "Each step of …",
    "A loss is one …",
    "If you don't pass …",
)
@over(mode=MODES, x=THREE, cases=8)
def test_one_row_travels(mode, x):
    rows = []

    def watched(f):
        @tf.custom_gradient
        def step(x):
            def grad(row):
                rows.append(row)
                return tf.linalg.matvec(jacobian_at, row, transpose_a=True)

            jacobian_at = tf.linalg.diag(tf.cos(x)) if f is tf.sin else W
            return f(x), grad

        return step

    first, second, loss = map(
        watched, (tf.sin, lambda x: tf.linalg.matvec(W, x), tf.identity)
    )
    del loss

    def chain(x):
        return tf.reduce_sum(second(first(x)))

    expected = [1.0, 1.0] @ W.numpy() @ np.diag(np.cos(x))
    assert np.allclose(mode.gradient(chain, x), expected, 1e-4, 1e-5)
    assert [tuple(row.shape) for row in rows] == [(2,), (3,)]
    start = back_from(mode)
    assert start == [1.0]
    given = EAGER.gradient(lambda x: 1.0 * x, 3.0)
    twice = pulled(lambda x: 1.0 * x, tf.constant(3.0), tf.constant(2.0))
    assert given == 1 and twice == 2, "you may start with another row: output_gradients"


def back_from(mode):
    """What upstream is at the loss itself."""
    scaled = tf.custom_gradient(lambda x: (x, lambda upstream: upstream * 1.0))
    return [float(mode.gradient(scaled, 3.0))]


@says(
    "In each step, …",
    "(If the output …",
    was="'in the shape of that output': IndexedSlices behind a gather",
)
@over(mode=MODES, loss=LOSSES, shape=[(3,), (2, 3)])
def test_what_upstream_is(mode, loss, shape):
    seen = []

    @tf.custom_gradient
    def step(x):
        return tf.identity(x), lambda upstream: seen.append(upstream) or upstream

    x = tf.reshape(tf.range(1.0, 1.0 + np.prod(shape)), shape)
    found = mode.gradient(step, x, loss)
    assert same(found, EAGER.gradient(loss, x))
    sliced = isinstance(seen[0], tf.IndexedSlices)
    assert sliced == (loss is LOSSES["sparse"]) and len(seen) == 1
    assert sliced or tuple(seen[0].shape) == shape


@says(
    "A unit row …",
    "a unit vector …",
    "If `upstream` is …",
)
@over(f=MAPS, x=[[0.5, -1.0, 1.5]])
def test_unit_rows_and_columns(f, x):
    x, J = tf.constant(x), by_differences(f, x)
    for k, row in enumerate(np.eye(len(J), dtype=np.float32)):
        assert np.allclose(pulled(f, x, tf.constant(row)), J[k], 1e-2, 1e-2)
    for k, column in enumerate(np.eye(3)):
        for forward in FORWARDS[:3]:
            assert np.allclose(forward.jvp(f, x, column), J[:, k], 1e-2, 1e-2)


@says(
    "So each row …",
    "Since the gradient …",
)
@over(f=MAPS, x=THREE)
def test_the_rows_are_all(f, x):
    calls, x = [], tf.constant(x)

    @tf.custom_gradient
    def counted(x):
        return f(x), lambda row: calls.append(row) or pulled(f, x, row)

    n = len(f(x))
    rows = np.stack([pulled(counted, x, row) for row in tf.eye(n)])
    assert len(calls) == n
    other = np.float32([3.0, -0.5, 2.0])[:n]
    assert np.allclose(pulled(counted, x, tf.constant(other)), other @ rows, 1e-4, 1e-4)


# The trace.


@says(
    "At $x = (2, 3, 0)$ the rows …",
    "For $L$ the …",
    "The product and …",
    "For the vector, …",
    "The program calls …",
    r"Then $5 \cdot 3 = 15$, …",
    "With `output_gradients`, the …",
    "The two unit …",
)
def test_four_rows():
    loss, ones, fed, first, second, of_jacobian = trace("vjp.py").starting("upstream")
    J = jacobian_of_pair(X)
    assert same(J, [[3, 2, 0], [0, 0, 3]])
    for each in (loss, ones, fed, first, second):
        assert same(each["downstream"], each["upstream"] @ J)
    assert loss["upstream"] == [5, -1] and loss["downstream"] == [15, 10, -3]
    assert (
        fed == loss and ones["upstream"] == [1, 1] and ones["downstream"] == [3, 2, 3]
    )
    assert same([first["downstream"], second["downstream"]], J) and of_jacobian == first
    rows = {tuple(each["upstream"]) for each in (loss, ones, fed, first, second)}
    assert len(rows) == 4


@says(
    "`tape.jacobian` uses all …",
    "In eager mode it …",
    "However, `tf.print` shows …",
    was="'calls the rule once': three times around a tf.function",
)
@over(n=[2, 5], graph=[lambda f: f, tf.function])
def test_what_jacobian_calls(n, graph):
    rows = []

    @tf.custom_gradient
    def step(x):
        return tf.identity(
            x
        ), lambda row: rows.append(row) or row * tf.range(1.0, n + 1.0)

    found = jacobian(graph(lambda x: step(x)), tf.ones(n))
    assert same(found, np.diag(np.arange(1.0, n + 1)))
    assert not any(hasattr(row, "numpy") for row in rows)  # symbolic
    assert len(rows) == 1 or graph is tf.function
    assert trace("vjp.py")[-2]["upstream"] == [1, 0]
    assert trace("vjp.py")[-3].text == "tape.jacobian"


# In reverse order.


@says(
    "The pullback of …",
    "order of a …",
    "For a small …",
    "Let $A$ be …",
    "In the backward …",
    "The downstream gradient …",
)
@over(mode=MODES, forward=FORWARDS[:1], x=THREE, cases=8)
def test_the_chain_of_pullbacks(mode, forward, x):
    order = []

    def step(name, f, transposed):
        @tf.custom_gradient
        def linear(x):
            def grad(row):
                downstream = transposed(row)
                order.append((name, row, downstream))
                return downstream

            return f(x), grad

        return linear

    A = tf.constant([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0], [3.0, 0.0, 1.0]])
    first = step(
        "A",
        lambda x: tf.linalg.matvec(A, x),
        lambda u: tf.linalg.matvec(A, u, transpose_a=True),
    )
    second = step(
        "B",
        lambda x: tf.linalg.matvec(W, x),
        lambda u: tf.linalg.matvec(W, u, transpose_a=True),
    )
    found = mode.gradient(
        lambda x: second(first(x)), x, lambda y: tf.reduce_sum(y * [1.0, 10.0])
    )
    assert same(found, [1.0, 10.0] @ W.numpy() @ A.numpy(), 1e-5)
    assert [name for name, _, _ in order] == ["B", "A"]
    assert mode is not EAGER or same(order[0][2], order[1][1])
    ran = []
    steps = lambda x: [ran.append("first"), tf.sin(x), ran.append("last")][1]  # noqa: E731
    forward.jvp(steps, x)
    assert ran == ["first", "last"]


@says(
    "Three steps forward, …",
    "The three pullbacks …",
    "The value of …",
)
@over(f=MAPS, x=THREE)
def test_with_pullback(f, x):
    value, pullback = program("compose.py").with_pullback(f, tf.constant(x))
    assert same(value, f(tf.constant(x)))
    for row in np.eye(len(value), dtype=np.float32):
        assert same(pullback(row), pulled(f, tf.constant(x), tf.constant(row)), 1e-5)
    lines = trace("compose.py")
    assert lines[5].numbers[-3:] == lines[6].numbers == [2, -4, 18]
    names = [line.text.split("  ")[0] for line in lines[:6]]
    assert names[3:] == names[:3][::-1]


@says(
    "Matrix products are associative, …",
    was="'the same up to rounding': 1e30 times 1e30 times 1e-30 is infinite one way",
)
@over(
    u=arrays((1, 2), numbers(-9, 9)),
    B=arrays((2, 3), numbers(-9, 9)),
    A=arrays((3, 4), numbers(-9, 9)),
    cases=40,
)
def test_either_way(u, B, A):
    u, B, A = map(tf.constant, (u, B, A))
    assert np.allclose(row_first(u, B, A), matrices_first(u, B, A), 1e-3, 1e-3)
    large, small = tf.constant([[1e30]]), tf.constant([[1e-30]])
    assert np.isinf(row_first(large, large, small))
    assert np.isfinite(matrices_first(large, large, small))


def row_first(u, B, A):
    return (u @ B) @ A


def matrices_first(u, B, A):
    return u @ (B @ A)


def multiplications(function, *shapes):
    """In the matrix products of the traced graph."""
    specs = [tf.TensorSpec(shape) for shape in shapes]
    graph = tf.function(function).get_concrete_function(*specs).graph
    return sum(
        op.outputs[0].shape.num_elements() * op.inputs[1].shape[0]
        for op in graph.get_operations()
        if op.type == "MatMul"
    )


@says(
    "Order — Multiplications, …",
    r"$(\upstream{\bar y} \, \local{B}) \, \local{A}$ …",
    r"$\upstream{\bar y} \, (\local{B} \, \local{A})$ …",
    "But the orders …",
    "Computed as rows …",
)
@over(m=[1, 7], k=[2, 5], n=[3, 7])
def test_multiplications(m, k, n):
    shapes = (1, m), (m, k), (k, n)
    assert multiplications(row_first, *shapes) == m * k + k * n
    assert multiplications(matrices_first, *shapes) == m * k * n + m * n
    assert multiplications(tf.matmul, (m, k), (k, n)) == m * k * n
    by_hand = [
        [(i, between, j) for between in range(k)] for i in range(m) for j in range(n)
    ]
    assert sum(map(len, by_hand)) == m * k * n


@says(
    "For $m = k = n = 1000$ …",
)
def test_a_thousand():
    shapes = (1, 1000), (1000, 1000), (1000, 1000)
    million, billion = 10**6, 10**9
    assert multiplications(row_first, *shapes) / million == 2
    assert multiplications(matrices_first, *shapes) == billion + million


@says(
    "With several inputs …",
    "Computing the Jacobian …",
)
def test_neither_end_is_always_best():
    def costs(shapes):
        """Of the three matrices of a chain, from the left and from the right."""
        (a, b), (_, c), (_, d) = shapes
        return a * b * c + a * c * d, b * c * d + a * b * d

    left, right = costs([(2, 9), (9, 9), (9, 8)])
    assert left < right
    left, right = costs([(8, 9), (9, 9), (9, 2)])
    assert left > right


# Costs.


def cost(function, n):
    """Multiplications in matrix products; bytes of the largest tensor."""
    specs = [tf.TensorSpec(shape) for shape in ([n, n], [n], [n])]
    graph = tf.function(function).get_concrete_function(*specs).graph
    made = [
        (op.type, op.outputs[0].shape.num_elements(), op.inputs)
        for op in graph.get_operations()
        if op.type != "Placeholder" and op.outputs[0].dtype == tf.float32
    ]
    return sum(n * size for kind, size, _ in made if kind == "MatMul"), max(
        4 * size for _, size, _ in made
    )


def layer(W, x):
    return tf.tanh(tf.linalg.matvec(W, x))


def vjp_of(f):
    return lambda W, x, row: pulled(lambda x: f(W, x), x, row)


@says(
    "This is twice …",
    "No time is …",
    "$W$ is a constant, …",
    "The row takes …",
    "If you only …",
    r"For $y = \tanh(W x)$ …",
    "Take one layer, …",
    "The program counts the multiplications …",
    "The count of …",
    "The Jacobian takes $4 …",
    "At $n = 1024$, …",
)
@over(n=[1, 3, 64])
def test_the_cost_of_a_vjp(n):
    forward = cost(lambda W, x, row: layer(W, x), n)
    assert forward == (n**2, 4 * n) and cost(vjp_of(layer), n) == (2 * n**2, 4 * n)
    by_hand = cost(lambda W, x, row: W * (1.0 - layer(W, x) ** 2)[:, None], n)
    assert by_hand[1] == 4 * n**2
    lines = trace("cost.py")
    assert "4,194,304 bytes" in lines[0].text and "    4,096 bytes" in lines[1].text
    assert (4 * 1024**2, 4 * 1024) == (4194304, 4096)


@says(
    "`tape.jacobian` runs $n$ …",
    "The $n$ rows …",
    "For two layers, …",
    "What a VJP …",
    "For one layer …",
)
@over(n=[2, 5, 16])
def test_the_cost_of_a_jacobian(n):
    of_layer = cost(lambda W, x, row: jacobian(lambda x: layer(W, x), x), n)
    assert of_layer == (n**3 + 2 * n**2, 4 * n**2)

    def by_hand(W, x):
        return W * (1.0 - layer(W, x) ** 2)[:, None]

    W, x = tf.random.normal([n, n]), tf.random.normal([n])
    assert np.allclose(by_hand(W, x), jacobian(lambda x: layer(W, x), x), 1e-3, 1e-5)
    assert cost(lambda W, x, row: by_hand(W, x), n)[0] == n**2  # of the forward pass
    two = cost(lambda W, x, row: by_hand(W, layer(W, x)) @ by_hand(W, x), n)
    assert two[0] >= n**3


@says(
    "For programs of …",
)
@over(layers=[1, 4, 12])
def test_a_small_multiple(layers):
    assert (1024**3 + 2 * 1024**2) / (2 * 1024**2) == 513
    counts = [int(line.text.split()[-4].replace(",", "")) for line in trace("cost.py")]
    assert counts[0] / counts[1] == 513

    def deep(W, x):
        for _ in range(layers):
            x = layer(W, x)
        return x

    forward, back = cost(lambda W, x, row: deep(W, x), 6)[0], cost(vjp_of(deep), 6)[0]
    assert back == 2 * forward


@says(
    "If you index …",
    "With `tf.unstack(x)`, the …",
    "The gradient of `tf.add_n([tf.sin(x[i]) for i in range(n)])` …",
    was="'programs of any size': the gradient of x[i] in a loop makes n times n numbers",
)
def test_indexing():
    def made(function, n):
        call = tf.function(function, autograph=False)
        graph = call.get_concrete_function(tf.TensorSpec([n])).graph
        return sum(
            each.shape.num_elements()
            for op in graph.get_operations()
            for each in op.outputs
            if each.dtype == tf.float32
        )

    def indexed(x):
        return tf.add_n([tf.sin(x[i]) for i in range(x.shape[0])])

    def unstacked(x):
        return tf.add_n([tf.sin(each) for each in tf.unstack(x)])

    for n, times in ((200, 69), (400, 135)):
        ratios = [
            made(lambda x: EAGER.gradient(f, x), n) / made(f, n)
            for f in (indexed, unstacked)
        ]
        assert round(ratios[0]) == times and round(ratios[1], 1) == 2.3
    assert same(EAGER.gradient(lambda x: x[2], [1.0, 2.0, 3.0]), [0, 0, 1])


@says(
    "Two plots over …",
    "Left, multiplications: VJP …",
    "Right, bytes of …",
    "Multiplications in matrix …",
)
def test_the_figure_of_costs():
    left, right = drawn("cost.py")[0].axes
    for plot in (left, right):
        assert plot.get_xscale() == plot.get_yscale() == "log"
        n = np.asarray(plot.lines[0].get_xdata())
        assert [n[0], n[-1]] == [1, 1024] and len(plot.lines) == 3

    def of(plot):
        return {line.get_label(): np.asarray(line.get_ydata()) for line in plot.lines}

    products, sizes = of(left), of(right)
    assert (products["VJP"] == 2 * products["forward"]).all()
    assert products["Jacobian"][-1] > 100 * products["VJP"][-1]
    assert (np.diff(products["Jacobian"] / products["VJP"]) > 0).all()
    assert (sizes["VJP"] == sizes["forward"]).all() and sizes["VJP"][-1] == 4096
    assert (sizes["Jacobian"] == sizes["VJP"] ** 2 / 4).all() and 4e6 < sizes[
        "Jacobian"
    ][-1] < 4.2e6


@says(
    "Many Jacobians have …",
    "a sum — …",
    "a copy, by …",
    "a running sum …",
    "a product with …",
    "Function — Jacobian …",
    "elementwise — diagonal …",
)
@over(x=THREE, row=arrays((3,), numbers(-9, 9)))
def test_forms_of_jacobians(x, row):
    x, u = tf.constant(x), tf.constant(row)

    def both(f, x, u):
        return np.asarray(rows_of(f, x)), np.asarray(pulled(f, x, u))

    J, back = both(tf.sin, x, u)
    assert same(J, np.diag(np.diag(J))) and np.allclose(back, row * np.diag(J), 1e-5)
    J, back = both(lambda x: tf.reduce_sum(x, keepdims=True), x, u[:1])
    assert same(J, np.ones((1, 3))) and same(back, [row[0]] * 3)
    J, back = both(lambda x: tf.broadcast_to(x, [3]), x[:1], u)
    assert same(J, np.ones((3, 1))) and np.allclose(back, [row.sum()], 1e-4, 1e-4)
    J, back = both(tf.cumsum, x, u)
    assert same(J, np.tril(np.ones((3, 3)))) and np.allclose(
        back, tf.cumsum(u, reverse=True), 1e-5
    )
    J, back = both(lambda x: tf.linalg.matvec(W, x), x, u[:2])
    assert same(J, W) and np.allclose(back, W.numpy().T @ row[:2], 1e-4, 1e-4)


@says(
    "Nearly all activation …",
)
def test_activation_functions():
    names = [
        "celu",
        "elu",
        "exponential",
        "gelu",
        "glu",
        "hard_shrink",
        "hard_sigmoid",
        "hard_silu",
        "hard_tanh",
        "leaky_relu",
        "linear",
        "log_sigmoid",
        "log_softmax",
        "mish",
        "relu",
        "relu6",
        "selu",
        "sigmoid",
        "silu",
        "soft_shrink",
        "softmax",
        "softplus",
        "softsign",
        "sparse_plus",
        "sparse_sigmoid",
        "squareplus",
        "tanh",
        "tanh_shrink",
    ]
    x, others = tf.constant([0.5, -1.0, 2.0, 0.25]), []
    for name in names:
        activation = getattr(tf.keras.activations, name)
        J = rows_of(lambda x, f=activation: f(x[None, :])[0], x)
        if J.shape != (4, 4) or not same(J, np.diag(np.diag(J))):
            others.append(name)
    assert 0 < len(others) <= len(names) / 8


# Forward mode.


@says(
    "The result is …",
    "`tf.autodiff.ForwardAccumulator` carries such …",
    "carries — a …",
    r"computes — $\upstream{\bar y} \, \local{J}$ …",
    "type, for `pair` …",
    "Forward mode multiplies …",
    "You can also …",
    r"Then $\local{J}$ is …",
    "This column is …",
)
@over(forward=FORWARDS, x=THREE, dx=arrays((3,), numbers(-1, 1)))
def test_columns(forward, x, dx):
    x = tf.constant(x)
    dy = forward.jvp(pair, x, dx)
    assert dy.shape == [2] and np.allclose(dy, jacobian_of_pair(x) @ dx, 1e-4, 1e-4)
    h = 2.0**-7
    moved = (pair(x + h * dx) - pair(x - h * dx)) / (2 * h)
    assert np.allclose(dy, moved, 1e-2, 1e-2)
    assert pulled(pair, x, tf.ones(2)).shape == [3]


@says(
    "Rows backward, columns …",
    "Both modes multiply …",
    "Reverse mode receives …",
    "Forward mode receives …",
    r"The inner product of $\upstream{\bar y}$ …",
)
@over(f=MAPS, forward=FORWARDS[:3], x=THREE, dx=arrays((3,), numbers(-1, 1)), cases=36)
def test_one_number(f, forward, x, dx):
    x = tf.constant(x)
    row = np.float32([1.0, -2.0, 3.0])[: len(f(x))]
    products = (
        np.dot(row, forward.jvp(f, x, dx)),
        np.dot(pulled(f, x, tf.constant(row)), dx),
    )
    assert np.isclose(*products, 1e-3, 1e-3)


@says(
    "A whole Jacobian …",
    "Many inputs, one …",
    "One input, many …",
    "A loss is an …",
    "This is why …",
    "Otherwise, the shape decides:",
    "Fewer products are …",
    "An example is …",
    "As many inputs …",
)
@over(shape=[(1, 6), (6, 1), (4, 4), (2, 5)])
def test_how_many_passes(shape):
    rows, columns = shape
    M = tf.random.normal(shape)

    def f(x):
        return tf.sin(tf.linalg.matvec(M, x))

    x, passes = tf.random.normal([columns]), []
    with_rule = tf.custom_gradient(
        lambda x: (f(x), lambda u: passes.append(u) or pulled(f, x, u))
    )
    J = np.stack([pulled(with_rule, x, row) for row in tf.eye(rows)])
    calls = []
    by_columns = [
        FORWARDS[0].jvp(lambda x: calls.append(x) or f(x), x, column)
        for column in np.eye(columns)
    ]
    assert len(passes) == rows and len(calls) == columns
    assert np.allclose(J, np.stack(by_columns, 1), 1e-4, 1e-5)
    diagonal = FORWARDS[0].jvp(tf.sin, x)  # one pass, for all of a diagonal
    assert same(diagonal, np.diag(rows_of(tf.sin, x)), 1e-5)


# Check.


@says(
    "The program compares …",
    "At $x = (2, 3, 0)$ the row $(5, -1)$ …",
    "By hand, the …",
    "In the last three …",
    "The program compares …",
)
def test_the_check():
    lines = trace("forward.py")
    J = jacobian_of_pair(X)
    row, column = lines[0].numbers, lines[1].numbers
    assert row == [5, -1, 15, 10, -3] and column == [1, 10, 100, 23, 300]
    assert same(row[:2] @ J, row[2:]) and same(J @ column[:3], column[3:])
    assert np.dot(row[:2], column[3:]) == np.dot(row[2:], column[:3]) == -185
    for line in lines[2:]:
        assert len(set(line.numbers)) == 1
    assert len(lines) == 5 and len({tuple(line.numbers) for line in lines[2:]}) == 3


@says(
    "With a random …",
)
@over(i=[0, 1], j=[0, 1, 2], by=numbers(0.01, 9))
def test_all_six_entries(i, j, by):
    rng = np.random.default_rng(0)
    x, dx, row = rng.normal(size=3), rng.normal(size=3), rng.normal(size=2)
    J = jacobian_of_pair(x)
    wrong = J.copy()
    wrong[i, j] += by
    assert abs(row @ wrong @ dx - row @ J @ dx) > 1e-6


# Where it breaks.


@says(
    "TensorFlow raises no …",
)
@over(mode=MODES)
def test_no_message(mode):
    assert message(mode.gradient, tf.nn.softmax, [1.0, 2.0, 3.0]) == ""
    assert not [line for line in trace("wrong/sums.py") if "Error" in line.text]


@says(
    "A slice taken …",
    "For all derivatives, call …",
    "For one output, …",
    "Otherwise, the shape decides:",
)
@over(graph=[lambda f: f, tf.function], f=MAPS, x=THREE, cases=12)
def test_a_slice_outside(graph, f, x):
    def both(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
            inside = y[0]
        return tape.gradient(inside, x), tape.gradient(y[0], x)

    inside, outside = graph(both)(tf.constant(x))
    assert outside is None
    assert np.allclose(inside, rows_of(f, tf.constant(x))[0], 1e-4, 1e-5)


@says(
    "If it receives …",
    "The tape does …",
    "The result for the sine …",
    "The result for the running …",
    "`tape.jacobian` returns all …",
    "`output_gradients=tf.eye(3)` looks as …",
    "But a gradient function takes …",
    "For the other …",
)
@over(
    mode={
        "eager": lambda f: f,
        "graph": tf.function,
        "XLA": tf.function(jit_compile=True),
    }
)
def test_a_stack_of_rows(mode):
    x, eye = tf.constant([1.0, 2.0, 3.0]), tf.eye(3)

    def stacked(f):
        return mode(lambda x: pulled(f, x, eye))

    assert same(stacked(tf.sin)(x), jacobian(tf.sin, x), 1e-5)
    found = stacked(tf.cumsum)(x)
    assert same(found, tf.transpose(jacobian(tf.cumsum, x)))
    assert not same(found, jacobian(tf.cumsum, x))
    assert raised(stacked(tf.tanh), x) is not None
    eager = "eager" in getattr(mode, "__name__", "eager") or mode(len) is len
    assert (raised(stacked(lambda x: x * x), x) is not None) == eager
    for f in (tf.sin, tf.cumsum, tf.tanh, lambda x: x * x):
        assert np.allclose(jacobian(f, x), by_differences(f, x), 1e-2, 1e-2)


@says(
    "For several targets, …",
    "This program has …",
    "Pass a tensor, …",
    "TensorFlow silently drops …",
    "Only the tensor …",
)
@over(
    graph=[lambda f: f, tf.function],
    first=numbers(-9, 9),
    others=st.lists(numbers(-9, 9), max_size=3),
)
def test_a_list_is_not_a_row(graph, first, others):
    x = tf.constant([1.0, 2.0, 3.0])
    found = graph(lambda x: pulled(tf.square, x, [first, *others]))(x)
    assert np.allclose(found, 2.0 * first * x, 1e-5)

    def two(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            targets = [tf.square(x), 3.0 * x]
        return tape.gradient(
            targets, x, output_gradients=[tf.fill([3], first), tf.ones(3)]
        )

    assert np.allclose(graph(two)(x), first * 2.0 * x + 3.0, 1e-4, 1e-4)
    assert [line.numbers for line in trace("wrong/list.py")] == [[10, 20, 30]] * 2 + [
        [10, 28, 54]
    ]


@says(
    "$W$ is a square …",
    "A gradient function for …",
    "But the gradient function of `squares` …",
    "The reverse order …",
)
@over(mode=FEW, x=arrays((2,), numbers(-3, 3)))
def test_the_order_of_two_pullbacks(mode, x):
    read = program("wrong/order.py")

    def loss(y):
        return tf.reduce_sum(y * [1.0, 10.0])

    plain = mode.gradient(lambda x: tf.square(tf.linalg.matvec(read.W, x)), x, loss)
    assert np.allclose(mode.gradient(read.reverse_order, x, loss), plain, 1e-4, 1e-4)
    h = read.W.numpy() @ x
    wrong = 2 * h * (read.W.numpy().T @ [1.0, 10.0])
    assert np.allclose(mode.gradient(read.squares, x, loss), wrong, 1e-4, 1e-4)
    assert trace("wrong/order.py")[0].numbers != trace("wrong/order.py")[2].numbers


@says(
    "That tape is …",
    "If you can't …",
    "`with_pullback` above shows …",
)
@over(persistent=[True, False])
def test_a_rule_may_be_called_twice(persistent):
    @tf.custom_gradient
    def by_tape(x):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = tf.sin(x)
        return y, lambda upstream: tape.gradient(y, x, output_gradients=upstream)

    x = tf.constant(0.5)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        y = by_tape(x)
    assert same(outer.gradient(y, x), np.cos(0.5), 1e-6)
    assert (raised(outer.gradient, y, x) is None) == persistent
    with_pullback = program("compose.py").with_pullback
    one = tf.custom_gradient(lambda x: with_pullback(lambda x: layer(tf.eye(3), x), x))
    assert same(EAGER.gradient(one, tf.ones(3)), [1 - np.tanh(1.0) ** 2] * 3, 1e-5)
    assert cost(lambda W, x, row: pulled(one, x, row), 3)[0] == 2 * 3**2


@says(
    "Usually, forward mode …",
    "In two cases, …",
    "in eager mode, if …",
    "whenever the `ForwardAccumulator` …",
    "In these cases, …",
    "The gradient function below …",
    "`stopped`: after `tf.stop_gradient`, …",
    was="'where they have no derivative': around a graph always",
)
@over(forward=FORWARDS, x=THREE)
def test_a_check_of_a_rule_against_itself(forward, x):
    # As tensors, because TensorFlow takes a subnormal x for 0 before it multiplies.
    x, dx = tf.constant(x), tf.constant([1.0, 10.0, 100.0])
    around = "around" in forward.name

    @tf.custom_gradient
    def recorded(x):
        return x * x, lambda upstream: upstream * 10.0 * x

    @tf.custom_gradient
    def stopped(x):
        return tf.stop_gradient(x * x), lambda upstream: upstream * 10.0 * x

    assert same(forward.jvp(recorded, x, dx), (10 if around else 2) * x * dx, 1e-4)
    uses = around or "eager" in forward.name
    assert same(forward.jvp(stopped, x, dx), (10 if uses else 0) * x * dx, 1e-4)
    turned = tf.custom_gradient(lambda x: (tf.stop_gradient(x), lambda u: tf.cumsum(u)))
    expected = tf.cumsum(dx, reverse=True) if uses else tf.zeros(3)
    assert same(forward.jvp(turned, x, dx), expected, 1e-5)


@says(
    "`recorded`: forward mode …",
    "In eager mode the …",
    "In a graph, …",
)
def test_the_trace_of_itself():
    lines = {line.text[:14]: line.numbers[-2:] for line in trace("wrong/itself.py")[1:]}
    plain = np.dot([1, -1, 2], 2 * np.array([1, 2, 3]) * [1, 10, 100])
    assert lines["plain    eager"] == lines["plain    graph"] == [plain, plain]
    for mode in ("eager", "graph"):
        assert lines[f"recorded {mode}"] == [plain, 5 * plain]
    assert lines["stopped  eager"] == [5810, 5810] == [5 * plain] * 2
    assert lines["stopped  graph"] == [0, 5810]


# The exercises.


@says(
    r"The running sum $y_i = \sum_{j \le i} x_j$ …",
    "Output $i$ contains …",
    "The row times …",
    "So the gradient is a …",
    "This running sum …",
    "The running sum: …",
    "The running sum from …",
)
@over(n=[1, 4, 9], mode=FEW)
def test_the_running_sum(n, mode):
    x, row = tf.random.normal([n]), tf.random.normal([n])
    J = np.asarray(rows_of(tf.cumsum, x))
    assert same(J, np.tril(np.ones((n, n)))) and J.sum() == n * (n + 1) / 2
    total, sums, additions = 0.0, [], -1
    for each in row.numpy()[::-1]:
        total, additions = total + each, additions + 1
        sums.append(total)
    assert additions == n - 1
    found = mode.gradient(lambda x: tf.reduce_sum(tf.cumsum(x) * row), x)
    assert np.allclose(found, sums[::-1], 1e-4, 1e-5)


@says(
    "The first call …",
    "The second call …",
)
@over(mode=MODES)
def test_a_matrix(mode):
    w = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    x = tf.constant([5.0, 6.0])
    total = mode.gradient(lambda x: tf.linalg.matvec(w, x), x)
    second = pulled(lambda x: tf.linalg.matvec(w, x), x, tf.constant([0.0, 1.0]))
    assert [*np.asarray(total)] == [4, 6] and [*np.asarray(second)] == [3, 4]
    assert same(second, w[1]) and same(total, tf.reduce_sum(w, 0))


@says(
    "A function has …",
    "The Jacobian takes 200 …",
)
def test_three_and_two_hundred():
    x, w = tf.ones([3]), tf.random.stateless_normal([200, 3], (0, 1))

    def f(x):
        return tf.sin(tf.linalg.matvec(w, x))

    by_rows = rows_of(f, x)
    columns = []
    for dx in tf.eye(3):
        with tf.autodiff.ForwardAccumulator(x, dx) as forward:
            y = f(x)
        columns.append(forward.jvp(y))
    assert np.allclose(by_rows, tf.stack(columns, 1), atol=1e-5)
    assert len(by_rows) == 200 and len(columns) == 3


@says(
    "Predict `downstream` for …",
)
def test_the_prediction():
    line = trace("solution.py")[1]
    assert line["upstream"] == [1, 10, 100, 1000]
    assert line["downstream"] == [1111, 1110, 1100, 1000]


@says(
    "The pullback is …",
    "The sum is …",
    "The second tape …",
    "Forward mode from …",
    "Forward mode transposed …",
    "The derivative of …",
    "So the gradient function …",
    r"If you pass $\d x$ …",
    "The two results agree.",
    "any row: the …",
)
@over(
    f=MAPS, x=THREE, dx=arrays((3,), numbers(-1, 1)), row=arrays((3,), numbers(-9, 9))
)
def test_two_vjps_are_a_jvp(f, x, dx, row):
    x = tf.constant(x)

    def twice(row, block=True):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            row = tf.constant(row[: len(y)])
            outer.watch(row)
            if block:
                downstream = inner.gradient(y, x, output_gradients=row)
        if not block:
            downstream = inner.gradient(y, x, output_gradients=row)
        return outer.gradient(downstream, row, output_gradients=tf.constant(dx))

    expected = FORWARDS[0].jvp(f, x, dx)
    for each in (row, np.zeros(3, np.float32)):
        assert np.allclose(twice(each), expected, 1e-4, 1e-4)
    assert twice(row, block=False) is None
    ours = program("twice.py").jvp_from_vjps(f, x, tf.constant(dx))
    assert np.allclose(ours, expected, 1e-4, 1e-4)
    wrong = tf.custom_gradient(lambda x: (tf.stop_gradient(x), lambda u: u * 7.0))
    assert same(
        FORWARDS[0].jvp(wrong, x, dx),
        program("twice.py").jvp_from_vjps(wrong, x, tf.constant(dx)),
        1e-5,
    )


@says(
    "The picture multiplies the …",
    "Each number of the …",
    "With $(1, 0)$ …",
    "Two lines: upstream 5 …",
    "Both results add up …",
    "A row times a Jacobian: …",
)
@over(mode=MODES)
def test_the_rows(mode):
    [plot] = drawn("rows.py")[0].axes
    heights = sorted({round(each.get_position()[1], 2) for each in plot.texts})
    shown = [
        [
            each.get_text()
            for each in sorted(plot.texts, key=lambda each: each.get_position())
            if round(each.get_position()[1], 2) == height
        ]
        for height in heights[::-1]
    ]
    numbers = [
        [float(text.replace("−", "-")) for text in line if text[-1].isdigit()]
        for line in shown
    ]
    lines = [line for line in numbers if len(line) == 7]
    sums = [line for line in numbers if len(line) == 3]
    [added] = sums
    assert len(sums) == 1 and lines == [
        [5, 3, 2, 0, 15, 10, 0],
        [-1, 0, 0, 3, 0, 0, -3],
    ]
    assert added == [15, 10, -3] and len(lines) == 2

    def y(x):
        return tf.stack([x[0] * x[1], x[1] * tf.sin(x[2])])

    x, upstream = tf.constant([2.0, 3.0, 0.0]), [line[0] for line in lines]
    weights = [upstream, [1, 0], [0, 1], [1, 1]]
    found, *rows, both = mode.gradients(
        lambda *xs: [tf.reduce_sum(y(x) * row) for x, row in zip(xs, weights)], *[x] * 4
    )
    assert same(rows, [line[1:4] for line in lines])
    assert same(rows, jacobian_of_pair(x))
    assert same(found, added) and same(found, 5 * rows[0] + -1 * rows[1])
    assert upstream == [5, -1] and same(x, [2, 3, 0])
    recorded = source("rows.live").split("=== ")
    assert same(both, rows[0] + rows[1])
    for row, right in ([1, 0], rows[0]), ([1, 1], both):
        [stop] = [
            each
            for each in recorded
            if each.startswith(f"upstream_1 = {row[0]}.0; upstream_2 = {row[1]}.0\n")
        ]
        assert f"downstream: {right}\n" in stop and len(rows) == 2


definition(
    "For example:",
    "Property — VJP, …",
    "Another name for …",
    "The bracket is …",
    "Here both steps …",
    "Suppose you have …",
    "The pullback, from …",
    "Write $u$ for …",
    "Let `y = tf.linalg.matvec(W, x)` …",
    "What does `tape.gradient(y, x)` …",
    "How many VJPs …",
    "What is the …",
    "What is its Jacobian?",
    "What does a …",
)
advice(
    "Use *Change the picture* …",
    "So choose what …",
    "Compare the gradient …",
    "Compare the first …",
    "First decide whether …",
    "So compare with …",
    "Make two quick …",
    "Use forward mode.",
    "Compare the shapes:",
    "The formula above …",
)
pointer(
    "A survey of …",
    "Compare the tensor …",
    "You need the …",
    "After this page …",
    "Checking a gradient …",
    "For forward mode …",
    "Predict: the gradient …",
    "Predict: count the passes.",
    "Derive: a running sum.",
    "Derive: a JVP …",
    "If your function …",
    "Deliberately wrong: the …",
    "A gradient function with …",
    "Deliberately wrong: all …",
    "Deliberately wrong: a list …",
    "Deliberately wrong: two …",
    "Deliberately wrong: a check …",
    "The program that counts …",
    "For a whole …",
)
