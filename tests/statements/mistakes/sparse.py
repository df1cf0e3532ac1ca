"""What the page on sparse and ragged tensors says in words."""

import operator
import traceback
import warnings
from unittest import mock

import keras
from tensorflow.python.framework import indexed_slices

from truth.statements.tries import *

TWO = [EAGER, AROUND]
LOOKUPS = {
    "gather": lambda table: tf.gather(table, [0, 2, 2]),
    "gather_nd": lambda table: tf.gather_nd(table, [[0], [2], [2]]),
    "embedding_lookup": lambda table: tf.nn.embedding_lookup(table, [0, 2, 2]),
}
ROWS = tf.IndexedSlices(
    tf.constant([[1.0], [1.0], [1.0]]), tf.constant([0, 0, 1]), tf.constant([2, 1])
)

pointer(
    "The program computes …",
    "Find the message …",
    "The entries on `tf.IndexedSlices` …",
    "The entries on `tf.sparse.SparseTensor`, …",
    "The program calls …",
    "The fix converts the upstream gradient.",
    "The fix prints …",
    "The fix clips the dense gradient:",
    "The program maps …",
    "The fix converts the gradient first:",
    "This layer creates …",
    "The fix creates …",
    "The first argument of this custom gradient is a `tf.sparse.SparseTensor`:",
    "The first argument of this custom gradient is a `tf.experimental.ExtensionType`:",
    "In the fix, the …",
    "More: rows with …",
    "More: the same …",
    "Notice it earlier.",
)
history(
    "This is a bug in Keras.",
    "More: types of …",
    "Asked in simple-sam#8, keras#18985.",
    "Asked in alibi#828, tensorflow#518.",
    "Asked in d2l-en#1759, seq2seq#118.",
    "Asked in keras#19992, …",
    "Asked in tensorflow#36948, …",
    "There, the message …",
    "Asked in tensorflow#61132, tensorflow#6998.",
    "Asked in tensorflow#28966, tensorflow#32215.",
)
advice(
    "Fix: convert the gradients …",
    "Fix: pass the values …",
)

# IndexedSlices.


@says(
    "The gradient of a lookup, …",
    "The upstream gradient is a `tf.IndexedSlices`, …",
    "The gradient has …",
    "If a table …",
    "A `tf.IndexedSlices` has no …",
    "The dense gradient …",
    "Deliberately wrong: upstream …",
    "Deliberately wrong: the gradient of an …",
    "The rows of …",
    "The gradient of a lookup of …",
    "If `tf.gather` uses …",
    "In a loop of …",
    "In this case, the gradient …",
    "For example, a lookup …",
    "To get the dense …",
    "`unsupported operand type(s) for *: 'IndexedSlices' and 'float'` — …",
    "`'IndexedSlices' object has no attribute 'numpy'` — …",
)
@over(mode=TWO, lookup=LOOKUPS)
def test_rows(mode, lookup):
    table = tf.constant([[1.0], [2.0], [3.0]])
    found = mode.gradient(lookup, table)
    assert isinstance(found, tf.IndexedSlices) and not hasattr(found, "numpy")
    assert same(found.values, [[1.0]] * 3)
    assert same(tf.reshape(found.indices, [-1]), [0, 2, 2])
    for name in "__add__", "__sub__", "__mul__", "__truediv__":
        assert not hasattr(found, name)
    failing = "unsupported operand type(s) for *: 'IndexedSlices' and 'float'"
    assert message(lambda: found * 2.0) == f"TypeError: {failing}"
    missing = "'IndexedSlices' object has no attribute 'numpy'"
    assert message(lambda: found.numpy()) == f"AttributeError: {missing}"
    for product in found * table, table * found:
        assert isinstance(product, tf.Tensor) and same(product, [[1.0], [0.0], [6.0]])
    assert isinstance(mode.gradient(lambda x: lookup(x) + x[0], table), tf.Tensor)
    across = mode.gradient(lambda x: tf.gather(x, [0], axis=1), table)
    assert isinstance(across, tf.Tensor) and same(across, [[1.0]] * 3)

    def looped(x):
        return tf.map_fn(lambda _: tf.reduce_sum(lookup(x)), tf.zeros(2))

    if mode is not EAGER:
        return
    for graph in INSIDE, AROUND, NESTED, XLA, SYMBOLIC:
        in_graph = graph.gradient(looped, table)
        assert isinstance(in_graph, tf.Tensor)
        assert same(in_graph, [[2.0], [0.0], [4.0]])


OPERATORS = {
    name: getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
        *("lt", "le", "gt", "ge", "eq", "ne", "and_", "or_", "xor"),
    )
}


@says(
    "`==` returns `False` …",
    "With a NumPy …",
    "`@` with a …",
    "In all other …",
    "For a comparison …",
    "The result of an …",
    "For integers, `&`, …",
    "Of the unary …",
    "With a tensor …",
    "With a Python …",
    was="'every binary operator raises, and for all but @ this TypeError': == returns, "
    "< has another message, and @ raises it for a number",
)
@over(name=OPERATORS.keys(), swapped=[False, True], graph=[False, True])
def test_operators(name, swapped, graph):
    called, equality = OPERATORS[name], name in ("eq", "ne")
    dtype = tf.int32 if name in ("and_", "or_", "xor") else tf.float32
    values = tf.constant([[1, 2], [3, 4]], dtype)

    def run(other):
        slices, rows = (
            tf.IndexedSlices(values, tf.constant([0, 1]), tf.constant([2, 2]))
            for _ in range(2)
        )
        other = rows if other is None else other
        return called(other, slices) if swapped else called(slices, other)

    def seen(other):
        kept = []
        outer = tf.function(lambda: kept.append(run(other))) if graph else None
        said = message(outer) if graph else message(lambda: kept.append(run(other)))
        return said, (kept or [None])[-1]

    twos = np.full([2, 2], 2, dtype.as_numpy_dtype)
    for other in tf.constant(twos), tf.Variable(twos):
        said, found = seen(other)
        assert not said and isinstance(found, tf.Tensor)
    if name in ("and_", "or_", "xor"):
        floats = tf.IndexedSlices(
            tf.ones([2, 2]), tf.constant([0, 1]), tf.constant([2, 2])
        )
        assert raised(called, floats, tf.ones([2, 2])) is not None
    for other in twos[0, 0].item(), twos[0, 0], twos, None:
        said, found = seen(other)
        array = isinstance(other, np.ndarray)
        if equality:
            assert not said and isinstance(found, np.ndarray if array else bool)
            assert np.all(found) == np.any(found) == (name == "ne")
            assert np.shape(found) == ((2, 2) if array else ())
        elif name == "matmul" and array:
            assert said.startswith("ValueError:") and "matmul: Input operand" in said
        elif name in ("lt", "le", "gt", "ge"):
            assert said.startswith("TypeError:")
            assert "not supported between instances" in said
            assert "unsupported operand" not in said
        else:
            assert said.startswith("TypeError:") and "unsupported operand" in said
    slices = tf.IndexedSlices(values, tf.constant([0, 1]))
    assert isinstance(-slices, tf.IndexedSlices) and same((-slices).values, -values)
    for unary in operator.pos, abs, operator.invert:
        assert message(unary, slices).startswith("TypeError: bad operand type")


@says(
    "Fix: read `indices` …",
    "Fix: start the …",
    "If you need …",
    "`tf.convert_to_tensor` adds the …",
    "`unsupported operand type(s) for *: 'IndexedSlices' and 'float'` — …",
    "The function `picked` …",
    "tf.convert_to_tensor adds up …",
    "tf.convert_to_tensor adds up …",
)
@over(mode=TWO)
def test_dense(mode):
    square, x = program("times.py").square, tf.constant([5.0, 6.0])
    found = mode.gradient(lambda x: tf.gather(square(x), [0, 0, 1]), x)
    assert same(found, [20.0, 12.0])
    assert same(tf.convert_to_tensor(ROWS), [[2.0], [1.0]])
    assert tf.convert_to_tensor(x) is x


@says(
    "Many operations of …",
    "However, a product …",
    was="'most operations fail or compute something else': most convert the slices",
)
@over(
    called={
        "square": tf.square,
        "abs": tf.abs,
        "add": lambda of: tf.add(of, 1.0),
        "multiply": lambda of: tf.multiply(of, 2.0),
        "reshape": lambda of: tf.reshape(of, [-1]),
        "reduce_sum": tf.reduce_sum,
        "norm": tf.norm,
        "matmul": lambda of: tf.matmul(of, of, transpose_a=True),
        "concat": lambda of: tf.concat([of, of], 0),
    },
    graph=[False, True],
)
def test_converted(called, graph):
    run = tf.function(called, autograph=False) if graph else called
    found = run(ROWS)
    assert isinstance(found, tf.Tensor)
    assert same(found, called(tf.convert_to_tensor(ROWS)), 1e-6)
    assert message(lambda: ROWS * 2.0).startswith("TypeError: ")
    [clipped], norm = tf.clip_by_global_norm([ROWS], 1.0)
    assert isinstance(clipped, tf.IndexedSlices) and same(norm, np.sqrt(3), 1e-6)
    assert clipped.indices.shape == ROWS.indices.shape


@says(
    "A gradient is longer than the norm that you clipped it to — …",
    "The program looks up a …",
    "After clipping, the …",
    "Rows with the …",
    "The norm agrees …",
    "Check the norm …",
    "Deliberately wrong: rows …",
    "`tf.linalg.global_norm` and `tf.clip_by_global_norm` …",
    "Rows of one index are …",
)
def test_norm():
    assert same(tf.linalg.global_norm([ROWS]), np.sqrt(1 + 1 + 1), 1e-6)
    dense = tf.convert_to_tensor(ROWS)
    assert same(tf.linalg.global_norm([dense]), np.sqrt(2**2 + 1), 1e-6)
    clipped = tf.clip_by_global_norm([ROWS], 1.0)[0][0]
    assert same(clipped.values, ROWS.values / np.sqrt(3), 1e-5)
    assert tf.norm(tf.convert_to_tensor(clipped)) > 1.2
    last = trace("norm.py")[-1]
    assert last.numbers[-1] == 1.0


@says(
    "The program applies …",
    "With slices, most …",
    "The program looks up row 0 twice, …",
    "The right result …",
    "Deliberately wrong: Adam …",
    "As a result, …",
    "With Adam, however, …",
    "Some optimizers, such …",
    "They square the …",
)
def test_optimizers():
    second = {}
    for name, gradient in ("rows", ROWS), ("dense", tf.convert_to_tensor(ROWS)):
        optimizer = keras.optimizers.RMSprop(0.1, rho=0.5, epsilon=0.0)
        table = keras.Variable([[0.0], [0.0]])
        optimizer.apply([gradient], [table])
        second[name] = optimizer._velocities[0].numpy()[0, 0] / 0.5
        step = -table.numpy()[0, 0]
        assert same(step, 0.1 * 2 / np.sqrt(second[name] * 0.5), 1e-5)
    assert second == {"rows": 1 + 1, "dense": (1 + 1) ** 2} == {"rows": 2, "dense": 4}
    lines = trace("wrong/optimizers.py")
    differ = [each.text.split()[0] for each in lines if len({*each.numbers[::2]}) > 1]
    assert "Adam" in differ and "SGD" not in differ
    assert len(lines) == 9
    assert len(differ) > len(lines) / 2 and same(ROWS.indices, [0, 0, 1])


@says(
    "Compare the trained …",
    "In the fix, a custom …",
    "With the dense …",
    "A custom gradient …",
    "Fix: make the …",
    "An embedding moves too far under Adam — …",
)
def test_dense_gradient():
    rule = program("optimizers.py").dense_gradient
    found = EAGER.gradient(lambda x: tf.gather(rule(x), [0, 0]), tf.ones([2, 1]))
    assert isinstance(found, tf.Tensor) and same(found, [[2.0], [0.0]])
    plain, dense, matmul = trace("optimizers.py")
    assert dense.numbers == matmul.numbers != plain.numbers


@says(
    "The outer tape raises the error.",
    "The fix converts the first …",
    "The second derivative …",
    "Deliberately wrong: the second …",
    "The first derivative becomes …",
    "Fix: convert the first …",
    "The first derivative is a …",
    "In `model.fit`, the …",
    "This sum converts …",
    "`'IndexedSlices' object has no attribute '_id'` — …",
)
@over(mode=TWO)
def test_target(mode):
    x = tf.constant([5.0, 6.0])
    wrong, right = program("wrong/target.py").gradient, program("target.py").gradient
    said = message(mode.gradient, wrong, x)
    assert "'IndexedSlices' object has no attribute '_id'" in said
    assert same(mode.gradient(right, x), [4.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = wrong(x)
    assert tape.gradient(tf.convert_to_tensor(first), x) is None

    class Summed(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.w = self.add_weight(shape=(2,))
            self.w.assign(x)

        def call(self, batch):
            first = wrong(tf.convert_to_tensor(self.w))
            assert isinstance(first, tf.IndexedSlices)
            return batch + tf.reduce_sum(first)

    model = keras.Sequential([Summed()])
    model.compile(keras.optimizers.SGD(1.0), lambda _, found: found)
    model.fit(np.zeros([1, 1]), np.zeros([1, 1]), verbose=0)
    assert same(x - model.layers[0].w.value, [4.0, 0.0])


@says(
    "The program converts …",
    "TensorFlow warns while …",
    "Eagerly, there is no warning.",
    "Deliberately wrong: the gradient of a large …",
    "In a graph, …",
    "`Converting sparse IndexedSlices to a dense Tensor` — …",
)
@over(graph=[False, True])
def test_warning(graph):
    assert indexed_slices._LARGE_SPARSE_NUM_ELEMENTS == 100_000_000

    def dense(table):
        with tf.GradientTape() as tape:
            tape.watch(table)
            y = tf.gather(tf.identity(table), [0])
        return tf.convert_to_tensor(tape.gradient(y, table))

    for limit in 6, 7:
        with (
            mock.patch.object(indexed_slices, "_LARGE_SPARSE_NUM_ELEMENTS", limit),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            run = tf.function(dense, autograph=False) if graph else dense
            run(tf.ones([3, 2]))
        said = [each for each in caught if "IndexedSlices" in str(each.message)]
        assert bool(said) == (graph and limit == 6)


@says(
    "`tf.map_fn` raises the error.",
    "`tf.map_fn` splits its …",
    "The result agrees …",
    "`'IndexedSlicesSpec' object has no attribute '_unbatch'` — …",
    "Deliberately wrong: tf.map_fn …",
    "Fix: map over the dense gradient.",
    "A map over …",
)
@over(graph=[False, True])
def test_mapped(graph):
    def mapped(of):
        return tf.map_fn(lambda row: 2.0 * row, of)

    run = tf.function(mapped, autograph=False) if graph else mapped
    assert "object has no attribute '_unbatch'" in message(run, ROWS)
    assert same(run(tf.convert_to_tensor(ROWS)), [[4.0], [2.0]])
    mapped_, by_axis = trace("mapped.py")
    assert mapped_.numbers == by_axis.numbers == [0.6, 0.8, 1.0, 0.0]


@says(
    "`keras.optimizers.SGD` accepts slices.",
    "Only the looked-up …",
    "The optimizer takes …",
    "Fix: pass the slices …",
    "`Converting sparse IndexedSlices to a dense Tensor` — …",
    "The fix passes the …",
)
def test_rows_are_taken():
    table = keras.Variable([[1.0], [2.0]])
    keras.optimizers.SGD(0.1).apply([ROWS], [table])
    assert same(table.value, [[0.8], [1.9]], 1e-6)


@says(
    "This `grad` returns a …",
    "The gradient function of the multiplication …",
    "In the backward …",
    "Its gradient function …",
    "Fix: pass the shape …",
    "`Tensor conversion requested for IndexedSlices` without `dense_shape` — …",
    "A gradient function may return a …",
    "A gradient function may return slices, …",
    "The fix passes `tf.shape(table)`:",
    "Deliberately wrong: IndexedSlices without dense_shape.",
)
@over(mode=TWO)
def test_returned(mode):
    table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with_shape = program("returns.py").first_row
    without = program("wrong/returns.py").first_row
    assert isinstance(EAGER.gradient(with_shape, table), tf.IndexedSlices)
    assert isinstance(EAGER.gradient(without, table), tf.IndexedSlices)
    found = mode.gradient(lambda x: with_shape(2.0 * x), table)
    assert same(found, [[2.0, 2.0], [0.0, 0.0]])
    said = message(mode.gradient, lambda x: without(2.0 * x), table)
    assert "Tensor conversion requested for IndexedSlices" in said
    assert "without dense_shape" in said
    # The forward pass runs, and without the operation before it nothing fails.
    with tf.GradientTape() as tape:
        tape.watch(table)
        y = without(2.0 * table)
    error = raised(tape.gradient, y, table)
    frames = traceback.extract_tb(error.__traceback__)
    assert "_MulGrad" in [frame.name for frame in frames]


# Sparse, ragged and other types.


def u_of(model):
    """The gradient of the values, in their structure."""
    return model["ragged"] * 0.0 + model["tensor"]


def matrix(values):
    return tf.sparse.SparseTensor([[0, 0], [1, 1]], values, [2, 2])


@says(
    "The source of …",
    "`tape.gradient` raises the error.",
    "At the indices …",
    "Deliberately wrong: a SparseTensor is the …",
    "The source is …",
    "The fix differentiates …",
    "Fix: compute the …",
    "A tape differentiates …",
    "`Type SparseTensor is not supported as a gradient source or gradient target` — …",
)
@over(graph=[False, True])
def test_source(graph):
    def gradient(values, of):
        sparse = matrix(values)
        with tf.GradientTape() as tape:
            tape.watch(sparse.values)
            y = tf.sparse.sparse_dense_matmul(sparse, [[5.0], [7.0]])
        return tape.gradient(y, of(sparse))

    run = tf.function(gradient, autograph=False) if graph else gradient
    values = tf.constant([2.0, 3.0])
    assert same(run(values, lambda sparse: sparse.values), [5.0, 7.0])
    said = message(run, values, lambda sparse: sparse)
    assert "Type SparseTensor is not supported as a gradient source" in said
    assert len(tf.nest.flatten(matrix(values), expand_composites=True)) == 3


@says(
    "The weight gets no gradient.",
    "The matrix holds …",
    "After one step, …",
    "Deliberately wrong: the constructor …",
    "call makes the …",
    "The tape of …",
    "`No gradients provided for any variable`: a sparse weight — …",
    "Fix: create the …",
)
def test_weights():
    x = tf.ones([1, 2])
    for name in "wrong/weights.py", "weights.py":
        layer = program(name).Sparse()
        with tf.GradientTape() as tape:
            y = layer(x)
        found = tape.gradient(y, layer.w.value)
        assert same(found, None if "wrong" in name else [1.0, 1.0])
        layer.w.assign([3.0, 3.0])
        assert same(layer(x), [[1.0, 1.0]] if "wrong" in name else [[3.0, 3.0]])


@says(
    "The call itself raises the error.",
    "`tf.custom_gradient` splits its …",
    "A tape does …",
    "Deliberately wrong: a SparseTensor is an …",
    "The values are …",
    "`Type SparseTensor is not supported`: an argument of a custom gradient is sparse — …",
)
@over(graph=[False, True])
def test_argument(graph):
    wrong, right = program("wrong/argument.py").product, program("argument.py").product
    x = tf.constant([[5.0], [7.0]])

    def call(values):
        return wrong(matrix(values), x)

    values = tf.constant([2.0, 3.0])
    run = tf.function(call, autograph=False) if graph else call
    assert "Type SparseTensor is not supported as a gradient source" in message(
        run, values
    )
    assert same(right(values, x), [[10.0], [21.0]])


@says(
    "The upstream gradient is a ragged …",
    "TensorFlow counts a …",
    "The row splits …",
    "The gradient agrees with automatic differentiation in …",
    "Deliberately wrong: a gradient …",
    "This `grad` returns two …",
    "the values, the splits",
    "Fix: return one …",
    "The fix returns one ragged gradient:",
    "A dictionary that …",
    "A ragged tensor counts as one input — …",
    "A ragged tensor is …",
)
@over(graph=[False, True])
def test_ragged(graph):
    arrived = []

    @tf.custom_gradient
    def double(x):
        def grad(*upstreams):
            arrived.extend(upstreams)
            return 2.0 * upstreams[0]

        return x * 2.0, grad

    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    run = tf.function(double, autograph=False) if graph else double
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        y = run(x)
    found = tape.gradient(y, x)
    assert found.to_list() == [[2.0, 2.0], [2.0]]
    assert [type(each).__name__ for each in arrived] == ["RaggedTensor"]
    assert x.row_splits.dtype.is_integer
    model = {"ragged": x, "tensor": tf.constant(2.0)}
    for pieces in 1, 2, 3:

        @tf.custom_gradient
        def product(model):
            y = model["ragged"].values * model["tensor"]

            def grad(upstream):
                every = [u_of(model), tf.constant(6.0), tf.constant(0.0)]
                return every[:pieces]

            return y, grad

        call = tf.function(product, autograph=False) if graph else product

        def asked(call, model):
            with tf.GradientTape() as tape:
                tape.watch([x.values, model["tensor"]])
                y = call(model)
            return tape.gradient(y, model)

        assert (raised(asked, call, model) is None) == (pieces == 2)
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        y = program("wrong/ragged.py").double(x)
    assert "expected to return 1 gradients, but returned 2" in message(
        tape.gradient, y, x
    )


@says(
    "The type `Line` …",
    "`Type Line is not supported as a gradient source or gradient target` — …",
    "Deliberately wrong: an …",
    "In the fix, a plain …",
    "Fix: instead of …",
    "The arguments of …",
)
def test_extension():
    defined = program("wrong/extension.py")
    line, x = defined.Line(2.0, 1.0), tf.constant(3.0)
    assert not hasattr(line, "__composite_gradient__")
    said = message(defined.at, line, x)
    assert "Type Line is not supported as a gradient source" in said
    line_at = program("extension.py").line_at
    assert same(EAGER.gradients(line_at, 2.0, 1.0, x), [3.0, 1.0, 2.0])


@says(
    "The gradient agrees with automatic differentiation.",
    "Both gradients agree …",
    "The gradients agree …",
)
@over(name=["times", "returns", "argument", "extension"])
def test_fixes(name):
    lines = trace(f"{name}.py")
    assert len(lines) == 2 and same(lines[0].numbers, lines[1].numbers)
    assert name != "argument" or len(lines[0].numbers) == 2 + 2
