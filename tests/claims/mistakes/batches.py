"""The claims of docs/mistakes/batches.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, message, program, raised, same

WRAPS = {"eager": lambda function: function, "graph": tf.function}
WRAP = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
METHODS = ["jacobian", "batch_jacobian"]
X = np.float32([[1.0, 2.0], [3.0, 5.0], [4.0, 7.0]])


def derived(method, function, x=X, persistent=False, pack=None, **options):
    """Compute a Jacobian by a method of the tape.

    Args:
        pack: wraps the target or the source, as ``("target", list)``.
    """
    x = tf.constant(x)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = function(x)
    arguments = {"target": y, "source": x}
    for name in pack or ():
        arguments[name] = [arguments[name]]
    return getattr(tape, method)(*arguments.values(), **options)


@WRAP
@pytest.mark.parametrize("is_custom", [True, False], ids=["custom", "plain"])
def test_falls_back(wrap, is_custom):
    calls = []

    def square(row):
        calls.append(row)
        return row * row

    def function(row):
        return tf.numpy_function(square, [row], tf.float32)

    if is_custom:
        inner = function
        function = tf.custom_gradient(lambda x: (inner(x), lambda u: 2 * u * x))
    mapped = wrap(lambda x: tf.vectorized_map(function, x, warn=False))
    assert same(mapped(tf.constant(X)), X * X)
    assert {tuple(row) for row in calls} == {tuple(row) for row in X}
    with contrast("with the whole batch"):
        assert all(row.shape == (2,) for row in calls)
    error = message(
        wrap(lambda x: tf.vectorized_map(function, x, fallback_to_while_loop=False)),
        tf.constant(X),
    )
    with contrast("also with `fallback_to_while_loop=False`"):
        assert "No pfor vectorization defined for PyFunc" in error
    cube = program("mistakes/batches/wrong/pfor.py").cube
    assert "PyFunc" in message(
        lambda: tf.vectorized_map(cube, X, fallback_to_while_loop=False)
    )


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("method", METHODS)
def test_rows_of_a_tape(method, rows):
    x = X[:rows]

    def rowwise(**options):
        return derived(method, tf.square, x, experimental_use_pfor=False, **options)

    error = raised(rowwise)
    assert isinstance(error, RuntimeError) and "persistent=True" in str(error)
    right = derived(method, tf.square, x)
    with contrast("with pfor, too"):
        assert right.shape[:2] == (rows, 2)
    assert same(tf.function(rowwise)(), right)
    with contrast("also with a persistent tape"):
        assert same(rowwise(persistent=True), right)
    if rows == 3:
        with contrast("with pfor and `parallel_iterations`, too"):
            assert raised(lambda: derived(method, tf.square, x, parallel_iterations=2))


@tf.custom_gradient
def custom(x):
    return tf.round(x), lambda upstream: 2.0 * x * upstream


APART = [tf.tanh, custom, lambda x: tf.einsum("bi,bj->bij", x, x)]
COUPLED = [
    lambda x: x * tf.reduce_sum(x),
    lambda x: x - tf.reduce_mean(x, axis=0),
    lambda x: tf.cumsum(x),
]


@WRAP
@pytest.mark.parametrize("use_pfor", [True, False], ids=["pfor", "rows"])
def test_diagonal_blocks(wrap, use_pfor):
    options = {"experimental_use_pfor": use_pfor, "persistent": True}

    def both(function):
        return wrap(lambda: [derived(m, function, **options) for m in METHODS])()

    for function in APART:
        whole, blocks = both(function)
        assert same(blocks, [whole[i, ..., i, :] for i in range(len(X))], 1e-6)
        off = [whole[i, ..., j, :] for i in range(3) for j in range(3) if i != j]
        assert not any(np.any(block) for block in off)
    for function in COUPLED:
        whole, blocks = both(function)
        diagonal = [whole[i, ..., i, :] for i in range(len(X))]
        with contrast("also if one does"):
            assert not same(blocks, diagonal, 1e-3)
        # Each block is a sum over the outputs of all examples.
        summed = tf.einsum("iojk->jok", whole)
        assert np.allclose(blocks, summed, 1e-5, 1e-5)


@WRAP
@pytest.mark.parametrize("use_pfor", [True, False], ids=["pfor", "rows"])
def test_one_target(wrap, use_pfor):
    options = {"experimental_use_pfor": use_pfor, "persistent": True}

    def error(method, *pack):
        call = wrap(lambda: derived(method, tf.square, pack=pack, **options))
        return message(call)

    for method in METHODS:
        assert error(method, "target").startswith("AttributeError: ")
        assert "'list' object has no attribute 'shape'" in error(method, "target")
        assert not error(method)
    assert error("batch_jacobian", "source").startswith("AttributeError: ")
    with contrast("and tape.jacobian also if the source is one"):
        assert not error("jacobian", "source")
    with contrast("as tape.gradient does"):
        assert same(derived("gradient", tf.square, pack=["target"]), 2 * X)
