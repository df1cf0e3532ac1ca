"""The claims of docs/systems/sparse.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    COMPLEX,
    EAGER,
    FLOATS,
    MODES,
    UNKNOWN,
    VECTORIZED,
    contrast,
    message,
    program,
    same,
)

W = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def listed(indices, values, rows=3):
    """A list of rows, whose values may be numbers."""
    values = tf.reshape(tf.constant(values), [len(indices), -1])
    shape = tf.stack([rows, tf.shape(values)[1]])
    return tf.IndexedSlices(values, tf.constant(indices), shape)


def is_list(gradient):
    """Whether the gradient is a list of rows."""
    return isinstance(gradient, tf.IndexedSlices)


@pytest.mark.parametrize("place", [*MODES, *BLOCKS[:3], *UNKNOWN], ids=str)
def test_one_row_each(place):
    def lookup(table):
        z = tf.gather(table, [2, 0, 2])
        return z * tf.cast([[1], [10], [100]], z.dtype)

    gradient = place.gradient(lookup, W)
    assert is_list(gradient) and same(gradient.indices, [2, 0, 2])
    assert same(gradient.values, [[1.0, 1.0], [10.0, 10.0], [100.0, 100.0]])
    with contrast("a list with one row for each index"):
        assert len(gradient.indices) == 3 and len({*gradient.indices.numpy()}) == 2
    if place is EAGER:
        for dtype in (*FLOATS, *COMPLEX):
            assert same(EAGER.gradient(lookup, tf.cast(W, dtype)).indices, [2, 0, 2])
        matrix = EAGER.gradient(lambda W: tf.gather(W, [[0, 1], [1, 1]]), W)
        assert same(matrix.indices, [0, 1, 1, 1])
        assert len(EAGER.gradient(lambda W: tf.gather(W, tf.range(0)), W).indices) == 0
        assert len(EAGER.gradient(lambda W: tf.gather(W, 1), W).indices) == 1
        with contrast("also in a loop, in `tf.map_fn` or in `tf.vectorized_map`"):
            for looped in (*BLOCKS[3:5], *BLOCKS[9:11], *VECTORIZED):
                assert not is_list(looped.gradient(lookup, W))
        with contrast("in a recomputed function, too"):
            assert not is_list(EAGER.gradient(tf.recompute_grad(lookup), W))


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "graph"])
@pytest.mark.parametrize("indices", [[1], [2, 0, 2], [1, 1, 1, 1], []], ids=str)
def test_converts(run, indices):
    convert = run(tf.convert_to_tensor)
    values = np.arange(2.0 * len(indices)).reshape(-1, 2) - 1
    right = np.zeros((3, 2))
    np.add.at(right, np.int32(indices), values)
    for dtype in (*FLOATS, *COMPLEX):
        places = tf.constant(indices, tf.int64)
        rows = tf.IndexedSlices(tf.cast(values, dtype), places, tf.constant([3, 2]))
        assert same(convert(rows), right)
        assert same(convert(tf.cast(W, dtype)), W)
    assert tf.convert_to_tensor(W) is W
    if indices == [2, 0, 2]:
        with contrast("keeps the last row of an index"):
            assert not same(convert(rows)[2], values[2])


OPTIMIZERS = {
    "Adam": (lambda: keras.optimizers.Adam(0.1), [0, 1]),
    "momentum": (lambda: keras.optimizers.SGD(0.1, momentum=0.9), [0, 1]),
    "SGD": (lambda: keras.optimizers.SGD(0.1), [0]),
    "decay": (lambda: keras.optimizers.SGD(0.1, weight_decay=0.1), [0, 1, 2, 3]),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("is_graph", [False, True], ids=["eager", "graph"])
def test_optimizer_rows(name, is_graph):
    create, right = OPTIMIZERS[name]
    weights, optimizer = keras.Variable(np.ones((4, 2))), create()
    optimizer.build([weights])

    def step(indices):
        values = tf.ones([len(indices), 2])
        rows = tf.IndexedSlices(values, tf.constant(indices), tf.constant([4, 2]))
        optimizer.apply([rows], [weights])

    run = tf.function(step) if is_graph else step
    run([0, 1])
    before = weights.numpy()
    run([0])
    changed = np.flatnonzero((weights.numpy() != before).any(1)).tolist()
    assert changed == right
    if name == "SGD":
        with contrast("SGD without momentum changes earlier rows, too"):
            assert changed == [0]
    if name != "decay":
        with contrast("a row that was in no list"):
            assert not {2, 3} & {*changed}


CLIPS = {
    "clip_by_norm": lambda rows: tf.clip_by_norm(rows, 1.0),
    "clip_by_global_norm": lambda rows: tf.clip_by_global_norm([rows], 1.0)[0][0],
    "clipnorm": lambda rows: stepped(rows, clipnorm=1.0),
    "global_clipnorm": lambda rows: stepped(rows, global_clipnorm=1.0),
}


def stepped(rows, **options):
    """Return what a step of SGD with the clipped gradient subtracts."""
    weights = keras.Variable(np.zeros((3, 1)))
    keras.optimizers.SGD(1.0, **options).apply([rows], [weights])
    return -weights.value


def length(gradient):
    """Return the norm of a list after its rows are added, or of a tensor."""
    return float(tf.norm(tf.convert_to_tensor(gradient)))


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("indices", [[0, 0, 0, 1], [0, 1, 0, 0], [2, 2, 2, 2]], ids=str)
def test_clips_unadded(name, indices):
    clip, rows = CLIPS[name], listed(indices, np.ones(4, np.float32))
    factor = 1.0 / np.linalg.norm(rows.values)  # 1/2, from four numbers
    right = factor * tf.convert_to_tensor(rows)
    assert same(tf.convert_to_tensor(clip(rows)), right, 1e-6) and length(right) > 1.5
    opposite = listed([0, 0], np.float32([2.0, -1.9]))
    assert length(clip(opposite)) < 0.1  # its sum, 0.1, needed no clipping
    with contrast("after rows with the same index are added"):
        for added in program("systems/sparse/clip.py").added(rows), rows:
            tensor = tf.convert_to_tensor(added)
            assert abs(length(clip(tensor)) - 1.0) < 1e-6


RAGGED = tf.ragged.constant([[1.0, 2.0], [3.0]])


@pytest.mark.parametrize("returned", ["ragged", "flat values"])
@pytest.mark.parametrize("is_outside", [True, False], ids=["outside", "inside"])
def test_ragged_input(returned, is_outside):
    inputs = []

    def square(x, factor):
        def grad(upstream):
            values = upstream.flat_values * 2.0 * factor * x.flat_values
            downstream = x.with_flat_values(values)
            of_x = downstream if returned == "ragged" else values
            return of_x, tf.reduce_sum(upstream.flat_values * x.flat_values**2)

        inputs.append(x)
        return factor * x * x, grad

    call = tf.custom_gradient(square)
    graph = tf.function(call)

    def gradients(x, run):
        with tf.GradientTape(persistent=True) as tape:
            factor = tf.constant(10.0)
            tape.watch([x.flat_values, factor])
            y = tf.reduce_sum(run(x, factor))
        return [tape.gradient(y, source) for source in (x, x.flat_values, factor)]

    inside = tf.function(lambda x: gradients(x, call))
    for x in (RAGGED, tf.ragged.constant([[[1.0], []], [[2.0, 3.0]]])):
        of_ragged, of_values, of_factor = (
            gradients(x, graph) if is_outside else inside(x)
        )
        assert isinstance(of_ragged, tf.RaggedTensor)
        assert same(of_ragged.flat_values, [20.0, 40.0, 60.0])
        assert same(of_values, [20.0, 40.0, 60.0]) and same(of_factor, 14.0)
        assert same(gradients(x, call)[1], [20.0, 40.0, 60.0])  # eager
    assert all(isinstance(x, tf.RaggedTensor) for x in inputs)
    with contrast("one gradient for each of its component tensors"):
        splits = tf.custom_gradient(
            lambda x: (x.flat_values, lambda upstream: (upstream, None))
        )
        assert "expected to return 1 gradients, but returned 2" in message(
            gradients, RAGGED, lambda x, _: splits(x)
        )


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_refused(run):
    defined = program("systems/sparse/refused.py")
    with_attribute = program("systems/sparse/extension.py").Line(1.0, 2.0)
    refused = [
        tf.sparse.SparseTensor([[0]], [1.0], [1]),
        tf.sparse.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [2, 2]),
        defined.Line(1.0),
    ]

    def returning(value):
        return tf.custom_gradient(lambda x: (value, lambda upstream: None))

    for value in refused:
        as_argument = message(run(defined.call), value)
        as_result = message(run(returning(value)), W)
        for error in (as_argument, as_result):
            assert "is not supported as a gradient source" in error
    with contrast("a ragged tensor raises an error, too"):
        assert not message(run(defined.call), RAGGED)
        assert not message(run(returning(RAGGED)), W)
    with contrast("an `ExtensionType` with the attribute raises an error, too"):
        assert not message(run(defined.call), with_attribute)
        assert not message(run(returning(with_attribute)), W)


@pytest.mark.parametrize("mode", ["eager", "inside", "outside", "XLA"])
def test_composite_gradient(mode):
    defined = program("systems/sparse/extension.py")
    options = {"jit_compile": True} if mode == "XLA" else {}
    is_graph = mode in ("outside", "XLA")

    squared = defined.squared
    called = tf.function(squared, **options) if is_graph else squared

    def gradient(line):
        with tf.GradientTape() as tape:
            tape.watch(line)
            result = called(line)
            loss = result.slope + 10.0 * result.start
        assert isinstance(result, defined.Line)
        return tape.gradient(loss, line)

    run = tf.function(gradient) if mode == "inside" else gradient
    of_line = run(defined.Line(3.0, 4.0))
    assert isinstance(of_line, defined.Line)
    assert same([of_line.slope, of_line.start], [6.0, 80.0])
    silent = program("systems/sparse/refused.py").Line
    with contrast("without the attribute, too"):

        def of_silent():
            with tf.GradientTape() as tape:
                line = silent(1.0)
                tape.watch(line.slope)
                y = line.slope**2
            return tape.gradient(y, line)

        assert "is not supported as a gradient source" in message(of_silent)
