"""What the page on sparse, ragged and composite tensors says in words."""

import re
from typing import ClassVar

import keras

from truth.statements.tries import *

W = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
ROWS = [EAGER, INSIDE, AROUND, XLA]
PLACES = {"one": [1], "twice": [2, 0, 2], "all the same": [1, 1, 1, 1]}


def squared(z):
    """A loss whose upstream is another for each place, where rows differ."""
    return z * tf.reshape(tf.range(1.0, tf.size(z, tf.float32) + 1.0), tf.shape(z))


def listed(indices, values, rows=3):
    values = tf.reshape(tf.constant(values, tf.float32), [len(indices), -1])
    shape = tf.stack([rows, tf.shape(values)[1]])
    return tf.IndexedSlices(values, tf.constant(indices), shape)


def long_(gradient):
    return float(tf.norm(tf.convert_to_tensor(gradient)))


pointer(
    "You need the …",
    "After this page …",
    "The page sparse …",
    "The catalogue of mistakes explains …",
    "See an embedding …",
    "The catalogue also …",
)
definition("An embedding is …")
advice(
    "Add the rows …",
    "Write this sum …",
    "Call `upstream = …",
    "Pass its values instead.",
    "Compare `downstream` with …",
    "If you don't want this, …",
    "Compare the last …",
    "In the output, compare …",
    "Write gradient functions …",
    "Look at the …",
    "The fix is to add …",
    "`clipnorm` clips within …",
    "If you don't want to add …",
    "The fix is to multiply …",
    "The fix is to return …",
    "no warnings on …",
)


# A lookup.


@says(
    "A lookup copies …",
    "With a matrix …",
    "Transpose each factor …",
    "The gradient of row …",
    "So `grad` maps …",
    "A row that …",
    "`lookup_rows` returns the …",
    "A lookup in a …",
    "The gradient of `tf.gather` is …",
    "An index can …",
    "Let $S$ be …",
    "Then the lookup …",
    "The function does …",
    "Use the product …",
    "$S$ comes from …",
    "So at most …",
    "Row $k$ of the …",
    "`tf.IndexedSlices` stores exactly …",
    "The next program differentiates …",
    "The gradient of `tf.gather` has …",
    "So the gradient of the table …",
    "The gradient of a …",
)
@over(mode=ROWS, i=PLACES)
def test_lookup(mode, i):
    defined = program("gather.py")
    S = np.eye(3, dtype=np.float32)[i]
    assert same(S @ W, tf.gather(W, i)) and same(tf.gather(W, i), W.numpy()[i])
    upstream = np.arange(1.0, 2 * len(i) + 1).reshape(-1, 2)
    right = np.zeros((3, 2))
    for k, r in enumerate(i):
        right[r] += upstream[k]
    assert same(right, S.T @ upstream)
    table = W.numpy()
    pairing = (upstream * (S @ table)).sum()
    assert same(pairing, (right * table).sum())
    assert same(pairing, (upstream @ table.T * S).sum())
    assert not right[[r not in i for r in range(3)]].any()
    for lookup in defined.lookup, defined.lookup_rows, tf.gather:
        numbers_ = tf.constant(i)
        assert same(lookup(W, numbers_), W.numpy()[i])
        found = mode.gradient(lambda W, f=lookup: squared(f(W, numbers_)), W)
        assert same(found, right, 1e-6)
        is_list = isinstance(found, tf.IndexedSlices)
        assert is_list == (lookup is not defined.lookup)
        if is_list:
            assert same(found.values, upstream) and same(found.indices, i)
    to_table, to_numbers = EAGER.gradients(
        lambda W, i: squared(defined.lookup(W, i)), W, tf.constant(i)
    )
    assert to_numbers is None and same(to_table, right, 1e-6)


@says(
    "`local` is $S$, …",
    "The last column of …",
)
def test_trace():
    text = " ".join(line.text for line in trace("gather.py"))
    numbers_ = [float(each) for each in re.findall(r"-?\d+\.?\d*", text)]
    upstream, local, downstream = (
        np.reshape(numbers_[a:b], (3, -1)) for a, b in ((0, 6), (6, 15), (15, 21))
    )
    assert same(local.sum(1), [1, 1, 1]) and local[:, -1].sum() == 2
    assert same(upstream[[0, 2]], [[1, 2], [100, 200]])
    assert same(downstream[2], [101, 202])
    assert same(downstream, local.T @ upstream)


@says(
    "The third argument …",
    "`tf.convert_to_tensor(upstream)` adds the …",
    "Without it, the …",
)
@over(i=PLACES)
def test_dense(i):
    values = np.arange(2.0 * len(i), dtype=np.float32).reshape(-1, 2)
    rows = tf.IndexedSlices(values, tf.constant(i), tf.constant([3, 2]))
    assert same(rows.dense_shape, [3, 2])
    right = np.zeros((3, 2))
    np.add.at(right, i, values)
    assert same(tf.convert_to_tensor(rows), right)
    without = tf.IndexedSlices(tf.constant(values), tf.constant(i))
    assert "without dense_shape" in message(tf.convert_to_tensor, without)


@says(
    "The call `tf.identity(i)` …",
    "In this case, `grad` …",
    "It must return …",
)
@over(mode=ROWS, kept=[True, False])
def test_identity(mode, kept):
    @tf.custom_gradient
    def lookup(W, i):
        j = i + 0

        def grad(upstream):
            at = tf.identity(j) if kept else j
            return tf.IndexedSlices(upstream, at, tf.shape(W)), None

        return tf.gather(W, i), grad

    said = message(mode.gradients, lambda W, i: lookup(W, i), W, tf.constant([1, 1]))
    fails = mode is AROUND and not kept
    assert ("different graph" in said) == fails and bool(said) == fails


# What a rule receives.

LISTS = {
    "gather": lambda y: tf.gather(y, [0, 0, 2]),
    "embedding": lambda y: tf.nn.embedding_lookup(y, [0, 1]),
    "gather_nd": lambda y: tf.gather_nd(y, [[0], [1]]),
    "two": lambda y: tf.gather(y, [0, 1, 1]) + tf.gather(y, [2, 0, 1]),
    "minus": lambda y: tf.gather(-y, [0, 0]),
    "cast": lambda y: tf.gather(tf.cast(y, tf.float64), [0, 0]),
    "plus": lambda y: tf.gather(y + 1.0, [0, 0]),
}
VECTORS = {
    "gather": lambda y: tf.gather(y, [0, 0, 2]),
    "gather_nd": lambda y: tf.gather_nd(y, [[0], [2]]),
    "embedding": lambda y: tf.nn.embedding_lookup(y, [0, 1]),
}
TENSORS = {
    "columns": lambda y: tf.gather(y, [0, 0], axis=1),
    "batch": lambda y: tf.gather(y, [[0], [0], [1]], batch_dims=1),
    "numbers": lambda y: tf.gather_nd(y, [[0, 1], [0, 1]]),
    "rank 3": lambda y: tf.gather_nd(y, [[[0]], [[1]]]),
    "slice": lambda y: y[0:2],
    "mask": lambda y: tf.boolean_mask(y, [True, False, True]),
    "product": lambda y: tf.gather(2.0 * y, [0, 0]),
    "beside": lambda y: tf.reduce_sum(tf.gather(y, [0])) + tf.reduce_sum(y),
}


@says(
    "Several lookups produce …",
    "A lookup in `-y`, …",
    "Eager mode and …",
    "If the output …",
    "The custom gradient …",
    "Whether the upstream …",
    "You receive a list …",
    "You receive a tensor …",
    "`tf.gather_nd` produces a …",
    "You also receive a tensor …",
    "So a change …",
    "What a gradient …",
)
@over(mode=ROWS)
def test_kinds(mode):
    behind = LISTS | TENSORS
    arrived = {name: [] for name in behind}

    def seen(name):
        def grad(upstream):
            arrived[name].append(upstream)
            return upstream

        return tf.custom_gradient(lambda x: (tf.identity(x), grad))

    found = mode.gradients(
        lambda *xs: [behind[name](seen(name)(x)) for name, x in zip(behind, xs)],
        *[W] * len(behind),
    )
    for name, gradient in zip(behind, found):
        assert same(gradient, EAGER.gradient(behind[name], W))
        lists = [isinstance(each, tf.IndexedSlices) for each in arrived[name]]
        assert lists and all(each == (name in LISTS) for each in lists)
    assert all(each.values.shape[0] == 6 for each in arrived["two"])
    assert not [line for line in trace("kinds.py") if "retracing" in line.text]
    for line in trace("kinds.py"):
        eager, graph = re.findall(r"(?:eager|graph): (\w+)", line.text)
        assert eager == graph
    assert len(trace("kinds.py")) == 10
    assert [line.text.count("rows ") > 0 for line in trace("kinds.py")].count(True) >= 4


@says(
    "But they differ for …",
    "So in eager mode, …",
    "You also receive a list …",
)
@over(mode=ROWS)
def test_other_kinds(mode):
    arrived = []

    @tf.custom_gradient
    def seen(x):
        def grad(upstream):
            arrived.append(isinstance(upstream, tf.IndexedSlices))
            return upstream

        return tf.identity(x), grad

    for behind in VECTORS.values():
        mode.gradient(lambda x, behind=behind: behind(seen(x)), W[:, 0])
    assert arrived and all(arrived)
    for between in lambda y, x: y + x, lambda y, x: 1.0 + y, lambda y, x: 1.0 - y:
        arrived.clear()
        mode.gradient(lambda x, f=between: tf.gather(f(seen(x), x), [0, 0]), W)
        assert arrived and all(each == (mode is not EAGER) for each in arrived)
    arrived.clear()
    mode.gradient(lambda x: tf.gather(seen(x) + 1.0, [0, 0]), W)
    assert arrived and all(arrived)


@says(
    "Both versions return …",
    "The list stores …",
    "The tensor stores …",
    "This tensor can …",
    "A gradient function may …",
    "That is, each …",
    "Every gradient function …",
    "If the function …",
    "One gradient function …",
)
@over(mode=ROWS, i=PLACES, f=["scaled", "scaled_dense"])
def test_scaled(mode, i, f):
    s = tf.constant([1.0, 10.0, 100.0])
    function = getattr(program("scaled.py"), f)

    def total(W, function=function):
        return squared(tf.gather(function(W, s), i))

    def plain(W):
        return squared(tf.gather(W * s[:, None], i))

    found, right, twice = mode.gradients(
        lambda U, V, W: total(U) + plain(V) + 2.0 * total(W), W, W, W
    )
    assert same(found, right, 1e-6)
    assert isinstance(found, tf.IndexedSlices) == (f == "scaled")
    assert same(twice, 2.0 * np.array(tf.convert_to_tensor(found)), 1e-6)
    if f == "scaled":
        assert same(found.indices, i)
    rows, dense = trace("scaled.py")
    assert rows.numbers[0] == 12 and dense.numbers[0] == 400 == 100 * 4
    assert same(rows.numbers[-4:], dense.numbers[-4:])


@says(
    "A gradient function that …",
    "Clipping and the …",
)
@over(rule=[tf.sign, lambda u: tf.clip_by_value(u, -1.0, 1.0)])
def test_nonlinear(rule):
    rows = listed([0, 0, 1], [1.0, 1.0, 1.0])
    each = tf.IndexedSlices(rule(rows.values), rows.indices, rows.dense_shape)
    first = rule(tf.convert_to_tensor(rows))
    assert same(each, [[2.0], [1.0], [0.0]]) and same(first, [[1.0], [1.0], [0.0]])


# An embedding, and optimizers.


class Seen(keras.optimizers.SGD):
    """Remembers the types of the gradients that it is given."""

    types: ClassVar = []

    def update_step(self, gradient, variable, learning_rate):
        self.types.append(type(gradient))
        super().update_step(gradient, variable, learning_rate)


@says(
    "A token that …",
    "In `fit`, the …",
    "An embedding whose …",
    "The program trains …",
    "Token 0 occurs …",
    "In the lines …",
    "A custom gradient …",
)
@over(eager=[True, False], name=["keras", "mean"])
def test_embedding(eager, name):
    defined = program("embedding.py")
    layer = {"keras": keras.layers.Embedding, "mean": defined.Embedding}[name]
    first = layer(3, 1, embeddings_initializer="zeros")
    model = keras.Sequential([first, keras.layers.Flatten()])
    Seen.types.clear()
    model.compile(Seen(1.0), "mse", run_eagerly=eager)
    ids = np.array([[0, 0, 0, 1]])
    model.fit(ids, np.full((1, 4), 2.0), verbose=0)
    assert Seen.types and {*Seen.types} == {tf.IndexedSlices}
    moved = first.get_weights()[0].ravel()
    assert same(moved, [3.0 if name == "keras" else 1.0, 1.0, 0.0], 1e-6)
    mode = "eager" if eager else "graph"
    [line] = [
        each
        for each in trace("embedding.py")
        if each.text.startswith(name) and mode in each.text
    ]
    assert same(line.numbers, moved)


@says(
    "A token that …",
    "It divides the …",
    "So the gradient of each …",
)
@over(mode=ROWS, i=PLACES)
def test_mean(mode, i):
    lookup = program("embedding.py").lookup
    found = mode.gradient(lambda W: squared(lookup(W, tf.constant(i))), W)
    plain = mode.gradient(lambda W: squared(tf.gather(W, i)), W)
    places = np.bincount(i, minlength=3)[:, None]
    right = np.array(tf.convert_to_tensor(plain)) / np.maximum(places, 1)
    assert same(found, right, 1e-6)


OPTIMIZERS = {
    "SGD": lambda: keras.optimizers.SGD(0.1),
    "SGD, momentum": lambda: keras.optimizers.SGD(0.1, momentum=0.9),
    "Adam": lambda: keras.optimizers.Adam(0.1),
    "AdamW": lambda: keras.optimizers.AdamW(0.1, weight_decay=0.1),
    "Adagrad": lambda: keras.optimizers.Adagrad(0.1),
    "RMSprop": lambda: keras.optimizers.RMSprop(0.1),
}
FORGETS = {"SGD", "Adagrad", "RMSprop"}


def steps(name, dense, twice=False):
    """What moves in a second step with row 0 alone, and the weights after it."""
    W, optimizer = keras.Variable(np.ones((4, 1))), OPTIMIZERS[name]()
    for i in [0, 1], ([0, 0] if twice else [0]):
        rows = listed(i, np.ones(len(i)), 4)
        before = W.numpy()
        optimizer.apply([tf.convert_to_tensor(rows) if dense else rows], [W])
    return np.flatnonzero(W.numpy() != before).tolist(), W.numpy()


@says(
    "No step looks …",
    "Adam and SGD …",
    "Without clipping, the …",
    "Which rows an …",
    "In the next …",
    "A Keras optimizer …",
    "But the rows change …",
    "Each line of …",
    "Weight decay changes …",
)
@over(name=[*OPTIMIZERS])
def test_moved(name):
    rows, dense = steps(name, False), steps(name, True)
    assert rows[0] == dense[0] and same(rows[1], dense[1], 1e-5)
    right = [0] if name in FORGETS else [0, 1, 2, 3] if name == "AdamW" else [0, 1]
    assert rows[0] == right
    [line] = [each for each in trace("moved.py") if each.text[:14].strip() == name]
    shown = re.findall(r"\[[^]]*\]", line.text)
    assert shown == [str(right), str(right)]
    again, added = steps(name, False, True)[1], steps(name, True, True)[1]
    assert same(again, added, 1e-5) == (not name.startswith(("Ada", "RMS")))


# Clipping.

CLIPS = {
    "clip_by_norm": lambda g: tf.clip_by_norm(g, 1.0),
    "clip_by_global_norm": lambda g: tf.clip_by_global_norm([g], 1.0)[0][0],
    "clipnorm": lambda g: program("clip.py").step(g, clipnorm=1.0),
    "global_clipnorm": lambda g: program("clip.py").step(g, global_clipnorm=1.0),
}


@says(
    "Clip a list …",
    "In a run …",
    "When the rows are …",
    "If the two …",
    "The norm of the list is …",
    "The clipped gradient …",
)
@over(clip=CLIPS, i=[[0, 0, 0, 1], [0, 1, 0, 0], [2, 2, 2, 2]])
def test_clip(clip, i):
    rows = listed(i, np.ones(4))
    assert long_(rows.values) < long_(rows)
    assert long_(clip(rows)) > 1.4
    if 1 in i:
        assert abs(long_(clip(rows)) - 1.5811) < 1e-4
    for first in program("clip.py").added(rows), tf.convert_to_tensor(rows):
        assert abs(long_(clip(first)) - 1.0) < 1e-5
    for line in trace("clip.py")[1:]:
        assert same(line.numbers[-3:], [1.5811, 1.0, 1.0])


@says(
    "Let $a$ and …",
    "The difference is …",
    "The squared norm …",
)
@over(a=numbers(-9, 9), b=numbers(-9, 9))
def test_squares(a, b):
    rows = listed([0, 0], [a, b])
    scale = 1 + a * a + b * b
    assert abs(long_(rows.values) ** 2 - (a**2 + b**2)) <= 1e-4 * scale
    assert abs(long_(rows) ** 2 - (a + b) ** 2) <= 1e-4 * scale
    found = long_(rows) ** 2 - long_(rows.values) ** 2
    assert abs(found - 2 * a * b) <= 1e-4 * (1 + a * a + b * b)


@says(
    "`added` works in …",
    "The function `added` …",
)
@over(i=PLACES, how=["eager", "graph", "XLA"])
def test_added(i, how):
    added = program("clip.py").added
    run = {
        "eager": added,
        "graph": tf.function(added),
        "XLA": tf.function(added, jit_compile=True),
    }[how]
    rows = listed(i, np.arange(1.0, 1.0 + len(i)), 1000)
    found = run(rows)
    assert sorted(found.indices.numpy()) == sorted({*i})
    assert len(found.values) == len({*i}) and same(found, rows)


# Sparse weights.


@says(
    "TensorFlow's own gradient …",
    "For floats, it …",
    "A product with …",
    "A matrix that …",
    "The mask doesn't …",
    "You don't need …",
    "If you store …",
    "All three gradients agree …",
    "The program compares three …",
    "Pass its `values` instead, …",
)
@over(cases=4, mode=[EAGER, INSIDE, AROUND], v=arrays((3,)), x=arrays((3, 2)))
def test_sparse(mode, v, x):
    v, x = np.clip(v, -9, 9), np.clip(x, -9, 9)
    defined = program("masked.py")
    table = tf.scatter_nd(defined.places, tf.constant(v, tf.float32), [2, 3])
    assert np.array(defined.M).sum() == 3
    found = mode.gradients(lambda v, x: squared(defined.sparse(v, x)), v, x)
    own = mode.gradients(lambda v, x: squared(defined.plain(v, x)), v, x)
    dense = mode.gradients(lambda W, x: squared(defined.masked(W, x)), table, x)
    at = tf.gather_nd(dense[0], defined.places)
    for one, other in zip(found, own):
        assert np.allclose(one, other, 1e-4, 1e-3)
    assert np.allclose(found[0], at, 1e-4, 1e-3)
    assert np.allclose(found[1], dense[1], 1e-4, 1e-3)
    assert same(dense[0] * (1 - defined.M), np.zeros((2, 3)))


@says(
    "A `tf.sparse.SparseTensor` can't be an argument of a custom gradient.",
    "A `tf.sparse.SparseTensor` can't be an argument of a custom gradient, …",
    "However, XLA can't …",
)
def test_sparse_tensor():
    matrix = tf.sparse.SparseTensor([[0, 0]], [2.0], [1, 1])
    rule = tf.custom_gradient(lambda m: (m.values, lambda u: u))
    assert "SparseTensor is not supported" in message(rule, matrix)
    for built in lambda f: f, tf.function:

        @built
        def source():
            with tf.GradientTape() as tape:
                y = tf.sparse.sparse_dense_matmul(matrix, [[1.0]])
            return tape.gradient(y, matrix)

        assert "SparseTensor is not supported" in message(source)
    plain = program("masked.py").plain
    x = tf.ones([3, 2])
    said = message(XLA.gradient, lambda v: plain(v, x), tf.ones([3]))
    assert "unsupported operations" in said and "SparseTensorDenseMatMul" in said


# Ragged tensors.

RAGGED = tf.ragged.constant([[1.0, 2.0], [3.0]])


@says(
    "A ragged tensor is …",
    "Ragged tensors work …",
    "The upstream gradient has …",
    "You can compute …",
    "The result has …",
    "In the program, `square` …",
    "With `flat`, you …",
    "A custom gradient …",
)
@over(built=[lambda f: f, tf.function], returns=["ragged", "values"], out=[0, 1])
def test_ragged(built, returns, out):
    arrived = []

    @tf.custom_gradient
    def rule(x):
        def grad(upstream):
            arrived.append(type(upstream))
            each = upstream.values if out else tf.gather(upstream, x.value_rowids())
            values = each * 2.0 * x.values
            return x.with_values(values) if returns == "ragged" else values

        return (x * x if out else tf.reduce_sum(x * x, axis=1)), grad

    run = built(rule)
    for source in RAGGED, RAGGED.flat_values:
        with tf.GradientTape() as tape:
            tape.watch(RAGGED.flat_values)
            y = tf.reduce_sum(run(RAGGED))
        found = tape.gradient(y, source)
        ragged = source is RAGGED
        assert isinstance(found, tf.RaggedTensor) == ragged
        assert same(found.values if ragged else found, [2.0, 4.0, 6.0])
    assert all((each is tf.RaggedTensor) == bool(out) for each in arrived) and arrived
    flat = program("ragged.py").flat
    given = []
    tf.nest.map_structure(given.append, (RAGGED.values, RAGGED.value_rowids()))
    assert all(isinstance(each, tf.Tensor) for each in given)
    to_values = EAGER.gradient(lambda v: flat(v, given[1]), given[0])
    assert same(to_values, [2.0, 4.0, 6.0])


# Types of one's own.


def handed_out(value):
    """A rule whose output is the value."""
    return tf.custom_gradient(lambda x: (value, lambda upstream: None))


@says(
    "In eager mode, you …",
    "They also raise …",
    "Sparse tensors and …",
    "Which arguments tf.custom_gradient …",
    "Look for the types …",
    "The next program passes …",
    "In a graph, `tf.IndexedSlices` …",
)
@over(built={"eager": lambda f: f, "graph": tf.function})
def test_refused(built):
    graph = built is tf.function
    rows, arrived, defined = listed([0, 0], [1.0, 2.0]), [], program("refused.py")

    @tf.custom_gradient
    def dense(x):
        arrived.append(x)
        return tf.convert_to_tensor(x), lambda upstream: upstream

    assert message(built(dense), rows).startswith("TypeError" if graph else "")
    if not graph:
        assert isinstance(arrived[0], tf.IndexedSlices)
    values = {
        "tf.Tensor": W,
        "tf.RaggedTensor": RAGGED,
        "tf.IndexedSlices": rows,
        "tf.SparseTensor": tf.sparse.SparseTensor([[0]], [1.0], [1]),
        "ExtensionType": defined.Line(1.0),
    }
    for name, value in values.items():
        silent = name in ("tf.SparseTensor", "ExtensionType")
        assert hasattr(value, "__composite_gradient__") == (
            name in ("tf.RaggedTensor", "tf.IndexedSlices")
        )
        said = message(built(defined.call), value)
        assert ("is not supported as a gradient source" in said) == silent
        assert bool(said) == (silent or (graph and name == "tf.IndexedSlices"))
        said_of_output = message(built(handed_out(value)), W)
        assert ("is not supported as a gradient source" in said_of_output) == silent
        [line] = [each for each in trace("refused.py") if each.text.startswith(name)]
        assert ("Error" in line["graph" if graph else "eager"]) == bool(said)


@says(
    "An `ExtensionType` can …",
    "Custom types work …",
    "TensorFlow's ragged tensors …",
    "In the program, the attribute …",
    "TensorFlow has no …",
    "`grad` receives a …",
    "A type that …",
)
@over(mode=["eager", "around", "inside", "XLA"])
def test_extension(mode):
    defined = program("extension.py")
    silent = program("refused.py").Line
    for each in tf.sparse.SparseTensor, silent:
        assert not hasattr(each, "__composite_gradient__")
    assert hasattr(tf.RaggedTensor, "__composite_gradient__")
    assert defined.Both.__bases__ == (object,)
    for place in tf, tf.experimental, tf.autodiff, tf.types.experimental:
        assert not [each for each in dir(place) if "CompositeTensorGradient" in each]
    squared_ = defined.squared
    if mode in ("around", "XLA"):
        squared_ = tf.function(squared_, jit_compile=mode == "XLA")

    def gradient(line):
        with tf.GradientTape() as tape:
            tape.watch(line)
            result = squared_(line)
            loss = result.slope + 10.0 * result.start
        return tape.gradient(loss, line)

    run = tf.function(gradient) if mode == "inside" else gradient
    found = run(defined.Line(3.0, 4.0))
    assert isinstance(found, defined.Line)
    assert found.slope == 6.0 and found.start == 80.0
    lines = trace("extension.py").starting("eager", "graph")
    assert [each.numbers for each in lines] == [[6.0, 80.0]] * 2
    assert all(each["upstream"] == "Line" for each in trace("extension.py")[::2])


# Check, mistakes, and the exercise.


@says(
    "The function `rows` …",
    "As a reference, …",
    "The program prints …",
    "In the line `tape …",
    "All modes agree …",
    "Gradients of rows …",
)
@over(mode=ROWS, i=[[3, 1, 3, 0, 3], [0, 0, 0, 0, 0]])
def test_check(mode, i):
    defined = program("check.py")
    V, i = tf.reshape(tf.range(20.0) / 10.0 - 1.0, [5, 4]), tf.constant(i)
    found = mode.gradient(lambda V: defined.rows(V, i), V)
    right = mode.gradient(lambda V: defined.dense(V, i), V)
    assert np.allclose(tf.convert_to_tensor(found), right, 1e-4, 1e-4)
    assert not same(defined.cube(2 * V), 2 * defined.cube(V))
    lines = trace("check.py")
    assert len(lines) == 3 and all(each.numbers[-1] < 1e-5 for each in lines)


@says(
    "Row $k$ of `values` …",
    "A factor for …",
    "If there are …",
    "In this program, …",
    "Compare the line `wrong` …",
    "The result is …",
    "Deliberately wrong: a factor …",
)
@over(mode=ROWS, i=[[2, 0, 2], [0, 1, 2], [2, 0]])
def test_places(mode, i):
    scaled = program("wrong/places.py").scaled
    W, s = tf.ones([3, 1]), tf.constant([1.0, 10.0, 100.0])
    total = lambda W: tf.gather(scaled(W, s), i)  # noqa: E731
    if len(i) != 3:
        assert message(mode.gradient, total, W)
        return
    found = mode.gradient(total, W)
    right = mode.gradient(lambda W: tf.gather(W * s[:, None], i), W)
    assert len(found.values) == len(i)
    assert same(found, right) == (i == [0, 1, 2])
    if i == [2, 0, 2]:
        assert same(found, [[10.0], [0.0], [101.0]])
        assert same(right, [[1.0], [0.0], [200.0]])


@says(
    "`grad` returns a …",
    "Padded means a …",
    "If the tape's …",
    "A tape inside …",
    "But a tape …",
    "Deliberately wrong: a padded …",
)
def test_padded():
    total = program("wrong/padded.py").total
    for run, graph in ((total, False), (tf.function(total), True)):

        def gradient(x=RAGGED, run=run):
            with tf.GradientTape() as tape:
                tape.watch(x.flat_values)
                y = run(x)
            return tape.gradient(y, x.flat_values)

        said = message(gradient)
        assert ("Incompatible shapes" in said) == graph
        if not graph:
            assert not said and gradient().shape == (2, 2)
            assert RAGGED.flat_values.shape == (3,)
            inside = tf.function(lambda x: gradient(x))
            assert not message(inside, RAGGED) and inside(RAGGED).shape == (2, 2)


@says(
    "`tf.math.unsorted_segment_sum(V, i, 2)` …",
    "$P$ is the …",
    "The sum of …",
    "So if no …",
    "Conversely, the …",
    "Both lines show …",
)
@over(mode=ROWS, i=[[1, 0, 1], [0, 0, 0], [0, 1, 1]])
def test_solution(mode, i):
    add_up, i = program("solution.py").add_up, tf.constant(i)
    assert same(tf.one_hot(i, 2, axis=0), tf.transpose(tf.one_hot(i, 2)))
    right = np.zeros((2, 2))
    np.add.at(right, i.numpy(), W.numpy())
    assert same(tf.math.unsorted_segment_sum(W, i, 2), right)
    found = mode.gradient(lambda V: squared(add_up(V, i)), W)
    own = mode.gradient(lambda V: squared(tf.math.unsorted_segment_sum(V, i, 2)), W)
    upstream = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert same(found, own) and same(found, upstream[i.numpy()])
    table = tf.zeros([2, 2])
    back = mode.gradient(lambda T: tf.gather(T, i) * W, table)
    assert same(back, right)
