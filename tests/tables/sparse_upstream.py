"""Whether ``grad`` receives a tensor or ``IndexedSlices``, after which operation."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from tests.harness import (
    EAGER,
    SYMBOLIC,
    TAPE_IN_MAP,
    Place,
    gradients_in_fit,
    loaded_in_places,
)

from . import ElsewhereError, by_place, cell, shown

INPUT = np.ones([3, 2], np.float32)
USES: dict[str, Callable] = {
    "`gather`": lambda y: tf.gather(y, [0, 0]),
    "`embedding_lookup`": lambda y: tf.nn.embedding_lookup(y, [0, 0]),
    "`gather_nd`": lambda y: tf.gather_nd(y, [[0], [0]]),
    "two gathers": lambda y: tf.gather(y, [0, 0]) + tf.gather(y, [1, 1]),
    "`gather` along axis 1": lambda y: tf.gather(y, [0, 0], axis=1),
    "`y[0]`": lambda y: y[0],
    "`gather` and another use": lambda y: tf.gather(y, [0, 0, 1]) + y,
}
"""What reads the output ``y`` of the custom gradient."""
_GATHER = USES["`gather`"]
_KINDS = {"1": "tensor", "2": "slices"}


def _three(x: tf.Tensor) -> tf.Tensor:
    return 3 * x


@tf.custom_gradient
def _coded(x):
    """3 x, whose gradient is filled with the code of its upstream gradient."""

    def grad(upstream):
        is_sparse = isinstance(upstream, tf.IndexedSlices)
        return tf.fill(INPUT.shape, 2.0 if is_sparse else 1.0)

    return _three(x), grad


def _all(function: Callable) -> Callable:
    """Add the results of all uses, each of which has an input of its own."""

    def total(*tensors: tf.Tensor) -> tf.Tensor:
        uses = zip(USES.values(), tensors)
        return tf.add_n([tf.reduce_sum(use(function(x))) for use, x in uses])

    return total


def _one(use: Callable, function: Callable) -> Callable:
    return lambda x: use(function(x))


INPUTS = [INPUT] * len(USES)
PLAIN = {title: EAGER.gradient(_one(use, _three), INPUT) for title, use in USES.items()}
"""The gradients without a custom gradient."""


def table() -> str:
    """Return two tables: for a use in the same place, and for one beyond its border."""
    more = {"`model.fit`": _cells(gradients_in_fit)} | _loaded()
    same = by_place([*USES], lambda place: _cells(place.gradients), more)
    titles = ["in it, gathered after it", "before it, gathered in it"]
    return f"{same}\n\n{by_place(titles, _crossing)}"


def _cells(gradients: Callable) -> list[str]:
    """Return a cell for each use; all are in one graph, unless it raises."""
    try:
        return [*map(_kind, USES, gradients(_all(_coded), *INPUTS))]
    except Exception:
        return [
            cell(partial(_of_use, title, partial(gradients, _one(use, _coded), INPUT)))
            for title, use in USES.items()
        ]


def _of_use(title: str, gradients: Callable) -> str:
    return _kind(title, gradients()[0])


def _kind(title: str, gradient: Any) -> str:
    """Return what the gradient function received."""
    if np.array_equal(tf.convert_to_tensor(gradient), PLAIN[title]):
        return "plain"
    text = shown(gradient)
    return _KINDS.get(text, text)


def _loaded() -> dict[str, list[str]]:
    results = loaded_in_places([(_one(use, _coded), [INPUT]) for use in USES.values()])

    def gradients(number: int, place: str) -> list:
        result = results[number, place, 1]
        if isinstance(result, str):
            raise ElsewhereError(result)
        return result

    return {
        f"loaded SavedModel, {place}": [
            cell(partial(_of_use, title, partial(gradients, number, place)))
            for number, title in enumerate(USES)
        ]
        for place in ("inside", "outside")
    }


def _crossing(place: Place) -> list[str]:
    """Return the cells of a gather after the block, and of a gather in it."""
    after = _built(place, _coded, lambda function: lambda x: _GATHER(function(x)))
    before = _built(place, _GATHER, lambda function: lambda x: function(_coded(x)))
    return [
        cell(partial(_of_use, "`gather`", partial(gradients, tf.constant(INPUT))))
        for gradients in (after, before)
    ]


def _built(place: Place, function: Callable, compose: Callable) -> Callable:
    """Compose the function with another one, within the tape and outside the block."""
    if place is SYMBOLIC or place in TAPE_IN_MAP:  # no block but the tape's
        return place.built(compose(function))

    def taped(block: Callable) -> Callable:
        def gradients(x: tf.Tensor) -> list:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = compose(block)(x)
            return tape.gradient(y, [x])

        return gradients

    return place.built(function, taped)
