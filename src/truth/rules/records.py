"""What a program gave a rule and got from it, in the calls that it really made."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

from .function import named

KEPT_CALLS = 20
"""Of one rule."""
KEPT_NUMBERS = 1000
"""Of one array; a larger one is not kept."""


@dataclass
class Record:
    """One call of a function with a rule, and what its rule was asked."""

    inputs: dict[str, Any]
    """As they were passed, by the names of the parameters; None for a large one."""
    closed: dict[str, Any]
    """Arrays and numbers that function and rule see beside their inputs."""
    outputs: list
    upstream: list = field(default_factory=list)
    """Empty where the rule was not asked."""
    downstream: list = field(default_factory=list)
    """By each input, then by each variable."""
    variables: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            name: {key: _plain(each) for key, each in its.items()}
            if isinstance(its, dict)
            else list(map(_plain, its))
            for name, its in vars(self).items()
        }


def _plain(array: np.ndarray | None) -> Any:
    """Nested lists; None for what is not kept, and two of them for complex numbers."""
    if array is None or array.dtype.kind in "OSU":
        return None
    if np.iscomplexobj(array):
        return {"real": array.real.tolist(), "imag": array.imag.tolist()}
    if array.dtype.kind not in "biuf":  # bfloat16
        array = array.astype(np.float32)
    return array.tolist()


def _kept(value: Any) -> np.ndarray | None:
    if isinstance(value, tf.IndexedSlices):
        value = tf.convert_to_tensor(value)
    if not isinstance(value, (int, float, complex, np.ndarray, np.number)):
        if not hasattr(value, "numpy"):
            return None
        value = value.numpy()
    array = np.array(value)
    return array if array.size <= KEPT_NUMBERS else None


def _all_kept(values: Any) -> list[np.ndarray | None]:
    slices = (tf.IndexedSlices,)
    return [
        _kept(part)
        for each in tf.nest.flatten(values)
        for part in (
            [each]
            if isinstance(each, slices)
            else tf.nest.flatten(each, expand_composites=True)
        )
    ]


def _seen_by(function: Callable) -> Iterator[tuple[str, np.ndarray]]:
    """Numbers and arrays that a function finds by their names, not as inputs."""
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    around = getattr(function, "__globals__", {})
    seen = {
        name: around[name] for name in getattr(code, "co_names", ()) if name in around
    }
    for name, cell in zip(
        getattr(code, "co_freevars", ()), getattr(function, "__closure__", None) or ()
    ):
        with contextlib.suppress(ValueError):  # not yet filled
            seen[name] = cell.cell_contents
    for name, value in seen.items():
        if (array := _kept(value)) is not None:
            yield name, array


def recorded(
    function: Callable, records: list[Record], is_watching: Callable[[], bool]
) -> Callable:
    """The same function, of which the calls are kept; those inside a graph have no
    numbers, and are not."""

    @functools.wraps(function, updated=())
    def forward(*arguments: Any, **keywords: Any) -> Any:
        made = function(*arguments, **keywords)
        if (
            not is_watching()
            or not tf.executing_eagerly()
            or len(records) >= KEPT_CALLS
            or not (isinstance(made, tuple) and len(made) == 2 and callable(made[1]))
        ):
            return made
        outputs, rule = made
        try:
            signature = inspect.signature(rule)
            inputs = dict(named(inspect.signature(function), arguments))
        except (TypeError, ValueError):
            return made
        inputs = {
            name: _kept(value)
            for name, value in (inputs | keywords).items()
            if name != "self"
        }
        record = Record(inputs, dict(_seen_by(function)), _all_kept(outputs))
        records.append(record)

        @functools.wraps(rule, updated=())
        def backward(*upstream: Any, **more: Any) -> Any:
            gradients = rule(*upstream, **more)
            if not is_watching() or not tf.executing_eagerly():
                return gradients
            mine = record
            if mine.upstream:  # asked once more, of the same call
                if len(records) >= KEPT_CALLS:
                    return gradients
                mine = Record(record.inputs, record.closed, record.outputs)
                records.append(mine)
            mine.upstream = _all_kept(upstream)
            mine.downstream = _all_kept(gradients)
            mine.closed = {
                name: array
                for name, array in (mine.closed | dict(_seen_by(rule))).items()
                if name not in mine.inputs
            }
            mine.variables = {
                each.name: _kept(each) for each in more.get("variables") or ()
            }
            return gradients

        backward.__signature__ = signature  # type: ignore[attr-defined]
        return outputs, backward

    return forward
