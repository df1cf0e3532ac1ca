"""The claims of docs/lessons/chain_rule.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import FLOATS, contrast

SHAPES = [(), (2,), (3,), (2,), (1, 2), (2, 1), (), (0,), (2, 2, 2)]


def traces_of(call, shapes, dtypes, **options):
    """Call a ``tf.function`` with three values of each shape and dtype.

    Args:
        call: calls the function with a tensor.
        shapes, dtypes: of the tensors.
        **options: of the ``tf.function``.

    Returns:
        One pair for each call: whether the shape and the dtype are new together, and how
        often Python ran.
    """
    runs, known, pairs = [], set(), []

    @tf.function(**options)
    def function(x):
        runs.append(x)
        return x * x

    for shape in shapes:
        for dtype in dtypes:
            for value in (1, -2, np.nan):
                before = len(runs)
                call(function, tf.fill(shape, tf.cast(value, dtype)))
                pairs.append(((shape, dtype) not in known, len(runs) - before))
                known.add((shape, dtype))
    return pairs


def taped(function, x):
    """Differentiate outside the ``tf.function``."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    tape.gradient(y, x)


CALLS = {
    "eager": (lambda function, x: function(x), {}),
    "outside": (taped, {}),
    "nested": (lambda function, x: tf.function(lambda x: function(x))(x), {}),
    "XLA": (lambda function, x: function(x), {"jit_compile": True}),
}


@pytest.mark.parametrize("name", CALLS)
def test_new_shape(name):
    call, options = CALLS[name]
    dtypes = [tf.float32] if name == "XLA" else [*FLOATS, tf.int32, tf.bool]
    shapes = SHAPES if name != "nested" else SHAPES[:4]
    pairs = traces_of(call, shapes, dtypes, **options)
    assert all(runs == is_new for is_new, runs in pairs)
    with contrast("but a call with a new shape of a known rank doesn't"):
        lengths = traces_of(call, [(2,), (3,), (4,)], [tf.float32], **options)
        assert sum(runs for _, runs in lengths) == 3
    with contrast(
        "whatever the options: reduce_retracing has one trace for all lengths"
    ):
        lengths = traces_of(
            call, [(2,), (3,), (4,)], [tf.float32], **options, reduce_retracing=True
        )
        assert [runs for _, runs in lengths][-3:] == [0, 0, 0]
