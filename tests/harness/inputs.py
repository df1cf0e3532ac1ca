"""Inputs for the tests of claims: dtypes, upstream gradients, Hypothesis strategies."""

from collections.abc import Callable, Collection
from typing import Any

import hypothesis.extra.numpy
import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]
COMPLEX = [tf.complex64, tf.complex128]

LOSSES: dict[str, Callable] = {
    "dense": lambda y: tf.reduce_sum(
        y * tf.cast(tf.reshape(tf.range(1, tf.size(y) + 1), tf.shape(y)), y.dtype)
    ),
    "ones": tf.reduce_sum,
    "zeros": lambda y: tf.reduce_sum(y * tf.zeros_like(y)),
    "sparse": lambda y: tf.reduce_sum(tf.gather(y, [0, 0])),
    "nan": lambda y: tf.reduce_sum(y * tf.cast(np.nan, y.dtype)),
    "not constant": lambda y: tf.reduce_sum(y * y),
}
"""Losses by the upstream gradient that they send to an output of rank 1 or more.
``sparse`` sends IndexedSlices in which one index occurs twice."""

_SPECIAL = (0.0, 1e-40, 1e-30, 1e-3, 1.0, 1e3, 1e30)
_LARGEST = float(np.finfo(np.float32).max)


def numbers(
    low: float = -_LARGEST,
    high: float = _LARGEST,
    *,
    finite: bool = True,
    around: Collection[float] = (),
) -> st.SearchStrategy[float]:
    """Draw float32 numbers of every magnitude and both signs.

    Args:
        low, high: the inclusive range.
        finite: whether to leave out infinities and NaN.
        around: numbers whose two neighbors in float32 are drawn, too.
    """
    low, high = float(np.float32(low)), float(np.float32(high))
    special = [float(np.float32(sign * x)) for x in _SPECIAL for sign in (1, -1)]
    special += [neighbor(x, steps) for x in around for steps in (-1, 0, 1)]
    special = [x for x in (*special, low, high) if low <= x <= high]
    special += [] if finite else [np.inf, -np.inf, np.nan]
    strategy = st.sampled_from(special) | _floats(low, high)
    if low < 10 and high > -10:
        strategy |= _floats(max(low, -10), min(high, 10))
    return strategy


def _floats(low: float, high: float) -> st.SearchStrategy[float]:
    # TensorFlow sets the processor to flush subnormal numbers to zero.
    return st.floats(low, high, width=32, allow_subnormal=False)


def neighbor(x: float, steps: int) -> float:
    """Return the float32 that lies ``steps`` representable numbers above ``x``."""
    value = np.float32(x)
    for _ in range(abs(steps)):
        value = np.nextafter(value, np.float32(np.copysign(np.inf, steps)))
    return float(value)


def arrays(
    shape: Any = None, elements: st.SearchStrategy[float] | None = None
) -> st.SearchStrategy[np.ndarray]:
    """Draw float32 arrays, of ranks 0 to 3 and partly empty unless a shape is given."""
    if shape is None:
        shape = hypothesis.extra.numpy.array_shapes(
            min_dims=0, max_dims=3, min_side=0, max_side=3
        )
    if elements is None:
        elements = numbers(-1e3, 1e3)
    return hypothesis.extra.numpy.arrays(np.float32, shape, elements=elements)
