"""Whether forward mode uses the gradient function or the operations of the function."""

from collections.abc import Callable
from functools import partial

import numpy as np
import tensorflow as tf

from tests.harness import EAGER_BLOCKS, FORWARDS, Forward

from . import cell, markdown, merged, name

INPUT = np.array([2.3, 2.3], np.float32)
BLOCKS: dict[str, Callable] = {
    "plain call": lambda function: function,
    "nested function": tf.function,
} | {
    name(place).removesuffix(", eager"): place.wrapped
    for place in EAGER_BLOCKS
    if not place.name.startswith("strategy.run")
}
"""What stands between the accumulator and the function."""
_WITH_XLA = ("plain call", "nested function", "branch", "loop")
"""A graph takes XLA some 0.3 s, so not all blocks are tried with it."""


def _custom(forward: Callable, grad: Callable) -> Callable:
    return tf.custom_gradient(lambda x: (forward(x), grad))


def _ten(upstream: tf.Tensor) -> tf.Tensor:
    return 10 * upstream


def _clipped(upstream: tf.Tensor) -> tf.Tensor:
    return tf.clip_by_value(10 * upstream, -5.0, 5.0)


CASES = {
    "identity": _custom(tf.identity, _ten),
    "`round`": _custom(tf.round, _ten),
    "`stop_gradient`": _custom(lambda x: tf.identity(tf.stop_gradient(x)), _ten),
    "identity, clipped": _custom(tf.identity, _clipped),
    "identity, cubed": _custom(tf.identity, lambda upstream: 5 * upstream**3),
    "no custom gradient": lambda x: 10 * x,
}
"""The gradient functions return ten times the upstream gradient, this clipped to 5, or
five times its cube. Forward mode pushes a direction of ones through the functions."""


def table() -> str:
    """Return a table with a row for each block and each place of the accumulator."""
    return markdown(["Place", *CASES], merged(map(_family, BLOCKS)))


def _family(block: str) -> dict[str, list[str]]:
    return {
        name(place).replace("forward mode", block): _cells(place, block)
        for place in FORWARDS
        if block in _WITH_XLA or "XLA" not in place.name
    }


def _cells(place: Forward, block: str) -> list[str]:
    def product(function: Callable) -> tf.Tensor | None:
        return place.jvp(BLOCKS[block](function), INPUT)

    return [cell(partial(product, function)) for function in CASES.values()]
