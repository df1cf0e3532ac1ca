"""What the page on sparse and ragged tensors says in words."""

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
    "Behind a lookup the gradient is a list of rows, and most of what one does to a tensor fails on it, or does something else.",
    "Entries on `tf.IndexedSlices` come first, the most frequent before all; then `tf.sparse.SparseTensor`, ragged tensors and types of your own.",
    "More: the rows that nobody added.",
    "More: the same within a rule: slices that are clipped.",
    "This is a bug.",
    "Notice it earlier.",
)
history(
    "More: types of your own.",
    "Asked in simple-sam#8, keras#18985.",
    "Asked in alibi#828, tensorflow#518.",
    "Asked in d2l-en#1759, seq2seq#118.",
    "Asked in keras#19992, about the speed.",
    'Asked in tensorflow#36948, tensorflow#23558, with the message of older versions, "of unknown shape".',
    "Asked in tensorflow#61132, tensorflow#6998.",
    "Asked in tensorflow#28966, tensorflow#32215.",
)
advice(
    "Read `indices` and `values`, or make it dense.",
    "Make the gradients dense first.",
    "Look up in a table whose gradient is dense.",
    "Compare one step with that of a one-hot matrix product, as the program does.",
    "Ask for the gradient of the values.",
    "Pass the values, and close over places and shape.",
    "Return one ragged gradient.",
    "Give the rule the tensors.",
    "Give the third argument.",
    "Make it in `call`.",
)

# IndexedSlices.


@says(
    "`tf.gather`, `tf.gather_nd` and `tf.nn.embedding_lookup` send back a `tf.IndexedSlices`: values, and the row that each belongs to.",
    "It has no arithmetic of its own, and a float cannot help out; a tensor as the other factor makes it dense.",
    "The gradient of a table that is only looked up in has one row for each lookup, and no array behind it.",
    "Wrong on purpose: upstream behind a gather is no tensor.",
    "Wrong on purpose: the gradient of an embedding is taken for a tensor.",
    "Dense where all rows are wanted, values and indices where they are not.",
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
    assert "unsupported operand" in message(lambda: found * 2.0)
    for product in found * table, table * found:
        assert isinstance(product, tf.Tensor) and same(product, [[1.0], [0.0], [6.0]])
    assert isinstance(mode.gradient(lambda x: lookup(x) + x[0], table), tf.Tensor)


@says(
    "Begin the rule with `tf.convert_to_tensor`, which adds up the rows of one index and leaves a tensor as it is.",
    "tf.convert_to_tensor adds up the rows of one index.",
)
@over(mode=TWO)
def test_dense(mode):
    square, x = program("times.py").square, tf.constant([5.0, 6.0])
    found = mode.gradient(lambda x: tf.gather(square(x), [0, 0, 1]), x)
    assert same(found, [20.0, 12.0])
    assert same(tf.convert_to_tensor(ROWS), [[2.0], [1.0]])
    assert tf.convert_to_tensor(x) is x


@says(
    "`tf.linalg.global_norm` and `tf.clip_by_global_norm` take the values of the list.",
    "Rows of one index count one by one.",
    "Rows of one index are added before anything that is not linear.",
    "Wrong on purpose: the norm of what stands in the list, not of its sum.",
    "The last line of the program.",
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
    "Row 0 is looked up twice.",
    "An optimizer that squares the gradient squares both parts and adds them up, 2, where the square of the sum, 4, is meant.",
    "It divides by the root of it.",
    "Wrong on purpose: Adam takes the rows of one index one by one.",
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
    assert second == {"rows": 2, "dense": 4}
    lines = trace("wrong/optimizers.py")
    differ = [each.text.split()[0] for each in lines if len({*each.numbers[::2]}) > 1]
    assert "Adam" in differ and "SGD" not in differ


@says("A table that is looked up through a rule, whose gradient is dense.")
def test_dense_gradient():
    rule = program("optimizers.py").dense_gradient
    found = EAGER.gradient(lambda x: tf.gather(rule(x), [0, 0]), tf.ones([2, 1]))
    assert isinstance(found, tf.Tensor) and same(found, [[2.0], [0.0]])
    plain, dense, matmul = trace("optimizers.py")
    assert dense.numbers == matmul.numbers != plain.numbers


@says(
    "The first derivative is a list of rows, and as a target a tape takes tensors.",
    "Make it dense, while the outer tape records.",
    "The first derivative is made a tensor, within the outer tape.",
    "Wrong on purpose: a second derivative of what was looked up.",
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


@says(
    "A graph warns where a hundred million numbers or more are made of a few rows.",
    "Eagerly nothing is said.",
    "Wrong on purpose: the gradient of a large table becomes dense.",
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
    "`tf.map_fn` takes its argument apart along the first axis, and a list of rows does not say how.",
    "Map over the dense gradient.",
    "Wrong on purpose: tf.map_fn over the gradient of a table.",
    "A map over the rows of the dense gradient; or no map at all.",
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
    "Leave the rows as they are: `keras.optimizers.SGD` takes them.",
    "Stay with the rows: an optimizer takes them as they are.",
)
def test_rows_are_taken():
    table = keras.Variable([[1.0], [2.0]])
    keras.optimizers.SGD(0.1).apply([ROWS], [table])
    assert same(table.value, [[0.8], [1.9]], 1e-6)


@says(
    "A rule may return `tf.IndexedSlices`.",
    "The step before it makes a tensor of them, and needs to know how many rows there are in all.",
    "A rule may return rows; they say how many there are in all.",
    "Wrong on purpose: IndexedSlices without the shape of what they are of.",
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
    assert "without dense_shape" in said


# Sparse, ragged and other types.


def u_of(model):
    """The gradient of the values, in their structure."""
    return model["ragged"] * 0.0 + model["tensor"]


def matrix(values):
    return tf.sparse.SparseTensor([[0, 0], [1, 1]], values, [2, 2])


@says(
    "A tape differentiates tensors, and a `SparseTensor` is three: places, values and shape.",
    "The numbers that can move are the values: ask for these.",
    "Wrong on purpose: a SparseTensor as the source of a gradient.",
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
    "The matrix was made when the layer was, of what the weight was then.",
    "The tape of the training step has not seen that.",
    "The sparse matrix is made in call, of the weight as it is now.",
    "Wrong on purpose: the sparse matrix is made once, of what it was then.",
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
    "`tf.custom_gradient` takes its arguments apart as a tape does.",
    "The rule takes the values; the places are closed over.",
    "Wrong on purpose: a SparseTensor is an argument of a rule.",
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
    "A ragged tensor counts as its values.",
    "The splits are whole numbers, and no gradient is owed for them.",
    "A dictionary of a ragged tensor and a tensor has two pieces.",
    "A ragged tensor is one piece: one upstream, one gradient, both ragged.",
    "Wrong on purpose: a rule owes a gradient for the values and the splits.",
    "of the values, of the splits",
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
    "A type of your own says nothing about which of its tensors can move.",
    "The tensors of the type go into the rule, the type stays outside.",
    "Wrong on purpose: an ExtensionType is an argument of a rule.",
)
def test_extension():
    defined = program("wrong/extension.py")
    line, x = defined.Line(2.0, 1.0), tf.constant(3.0)
    assert not hasattr(line, "__composite_gradient__")
    said = message(defined.at, line, x)
    assert "Type Line is not supported as a gradient source" in said
    line_at = program("extension.py").line_at
    assert same(EAGER.gradients(line_at, 2.0, 1.0, x), [3.0, 1.0, 2.0])
