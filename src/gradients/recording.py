"""Record what a program passed to a custom gradient, and what it got."""

import functools
import inspect
import numbers
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

from vjpcheck.core import GradientError
from vjpcheck.function import describe, named_tensors, visible_values

MOST_CALLS = 20
"""Calls of one custom gradient that are recorded, at most."""
MOST_COPIED = 100_000
"""Elements of a tensor that is copied, at most."""
MOST_WRITTEN = 1000
"""Elements of an array that is written as lists, at most."""
REPETITIONS = 8
"""Equal calls with equal results show that a function draws no random numbers."""
TOLERANCE = 1e-5
"""Relative to the largest element. Threads may add numbers in another order."""


@dataclass(frozen=True)
class TensorCopy:
    """A copy of a tensor, so that the tensor itself may be deleted."""

    array: np.ndarray | None


def copied(value: Any) -> Any:
    """Return a ``TensorCopy`` of a tensor or a variable, or another value as it is."""
    if not isinstance(value, (tf.Tensor, tf.Variable)):
        return value
    if value.shape.num_elements() > MOST_COPIED:
        return TensorCopy(None)
    with tf.init_scope():  # hidden from tapes and from lists of read variables
        if isinstance(value, tf.Variable):
            value = tf.raw_ops.ReadVariableOp(resource=value.handle, dtype=value.dtype)
        return TensorCopy(np.array(value.numpy()))


@dataclass
class BackwardCall:
    """One call of a gradient function."""

    upstream: Any = ()
    keywords: dict = field(default_factory=dict)
    downstream: Any = ()
    captured: dict[str, Any] = field(default_factory=dict)
    variables: list[tuple[tf.Variable, TensorCopy]] = field(default_factory=list)
    """The variables of the argument ``variables``, with their values."""


@dataclass
class RecordedCall:
    """One call of a function with a custom gradient, outside of graphs."""

    function: Callable
    arguments: tuple
    keywords: dict
    outputs: Any
    captured: dict[str, Any]
    """The values that the function reads in addition to its inputs."""
    backward_calls: list[BackwardCall] = field(default_factory=list)

    def as_json(self) -> Iterator[dict[str, Any]]:
        """Yield a dictionary for each backward call; arrays are nested lists."""
        signature = inspect.signature(self.function)
        inputs = dict(named_tensors(signature, self.arguments)) | self.keywords
        inputs.pop("self", None)
        for backward in self.backward_calls or [BackwardCall()]:
            captured = {
                name: lists
                for name, value in (self.captured | backward.captured).items()
                if name not in inputs and (lists := as_lists(value)) is not None
            }
            yield {
                "inputs": {name: as_lists(value) for name, value in inputs.items()},
                "closed": captured,
                "outputs": list(map(as_lists, _tensors(self.outputs))),
                "upstream": list(map(as_lists, _tensors(backward.upstream))),
                "downstream": list(map(as_lists, _tensors(backward.downstream))),
                "variables": {
                    variable.name: as_lists(copy)
                    for variable, copy in backward.variables
                },
            }

    def repeat(self) -> int:
        """Repeat the call, and count the backward calls with the results of the run.

        The count is 0 if the function draws random numbers, or if a tensor was too
        large to be copied. Raises GradientError for another result.
        """
        equal = 0
        for backward in self.backward_calls or [BackwardCall()]:
            results = self._repeated(backward)
            if results is None:
                return 0
            expected = _arrays(self.outputs), _arrays(backward.downstream)
            for name, old, new in zip(("values", "gradients"), expected, results):
                if _close(old, new):
                    continue
                more = [self._repeated(backward) for _ in range(REPETITIONS)]
                if not all(each and all(map(_close, results, each)) for each in more):
                    return 0  # it draws random numbers
                raise GradientError(
                    f"the {name} were {_as_text(old)} in the run, but the same call,"
                    f" made again, gives {_as_text(new)}"
                )
            equal += 1
        return equal

    def _repeated(self, backward: BackwardCall) -> tuple[list, list] | None:
        """Return outputs and downstream gradients, or None if a value wasn't copied."""
        passed = (self.arguments, self.keywords, backward.upstream)
        captured = [each for each in self.captured.values() if isinstance(each, tuple)]
        variables = [*captured, *backward.variables]
        parts = tf.nest.flatten((passed, variables))
        if any(isinstance(part, TensorCopy) and part.array is None for part in parts):
            return None
        arguments, keywords, upstream = tf.nest.map_structure(_tensor, passed)
        before = [(variable, variable.numpy()) for variable, _ in variables]
        try:
            for variable, copy in variables:
                variable.assign(copy.array)
            outputs, grad = self.function(*arguments, **keywords)
            has_backward = bool(self.backward_calls)
            downstream = grad(*upstream, **backward.keywords) if has_backward else ()
            return _arrays(outputs), _arrays(downstream)
        except Exception as error:
            raise GradientError(
                f"the same call, made again, raises {describe(error)}"
            ) from error
        finally:
            for variable, value in before:
                variable.assign(value)


def recorded(
    function: Callable, calls: list[RecordedCall], is_observing: Callable[[], bool]
) -> Callable:
    """Return a function that also adds its calls outside of graphs to a list."""

    def is_recording() -> bool:
        count = sum(max(1, len(call.backward_calls)) for call in calls)
        return is_observing() and tf.executing_eagerly() and count < MOST_CALLS

    @functools.wraps(function, updated=())
    def forward(*arguments: Any, **keywords: Any) -> Any:
        result = function(*arguments, **keywords)
        if not (is_recording() and isinstance(result, tuple) and len(result) == 2):
            return result
        outputs, grad = result
        try:
            signature = inspect.signature(grad)
            inspect.signature(function).bind(*arguments)
        except (TypeError, ValueError):  # TensorFlow will raise an error, too
            return result
        copies = tf.nest.map_structure(copied, (arguments, keywords, outputs))
        call = RecordedCall(
            function, copies[0], copies[1], copies[2], _captured(function)
        )
        calls.append(call)

        backward = _recorded_backward(grad, call, is_recording)
        vars(backward)["__signature__"] = signature
        return outputs, backward

    return forward


def _recorded_backward(
    grad: Callable, call: RecordedCall, is_recording: Callable[[], bool]
) -> Callable:
    @functools.wraps(grad, updated=())
    def backward(*upstream: Any, **keywords: Any) -> Any:
        if not is_recording():
            return grad(*upstream, **keywords)
        variables = [(each, copied(each)) for each in keywords.get("variables") or ()]
        downstream = grad(*upstream, **keywords)
        up, down = tf.nest.map_structure(copied, (upstream, downstream))
        record = BackwardCall(up, keywords, down, _captured(grad), variables)
        call.backward_calls.append(record)
        return downstream

    return backward


def _captured(function: Callable) -> dict[str, Any]:
    """Return copies of the numbers, arrays and variables that a function captures; a
    variable comes with its copy."""
    return {
        name: (value, copied(value))
        if isinstance(value, tf.Variable)
        else copied(value)
        for name, value in visible_values(function).items()
        if isinstance(value, (tf.Tensor, tf.Variable, np.ndarray, numbers.Number))
    }


def _tensor(value: Any) -> Any:
    return tf.constant(value.array) if isinstance(value, TensorCopy) else value


def _tensors(values: Any) -> Iterator[Any]:
    for value in tf.nest.flatten(values):
        if isinstance(value, tf.IndexedSlices):
            # Without the shape of the whole tensor they can't become a tensor.
            has_shape = value.dense_shape is not None
            yield tf.convert_to_tensor(value) if has_shape else value.values
        else:
            yield from tf.nest.flatten(value, expand_composites=True)


def _array(value: Any) -> np.ndarray | None:
    if isinstance(value, tuple):
        value = value[1]
    if isinstance(value, TensorCopy):
        return value.array
    if isinstance(value, (numbers.Number, np.ndarray)):
        return np.array(value)
    return np.array(value.numpy()) if hasattr(value, "numpy") else None


def _arrays(values: Any) -> list[np.ndarray | None]:
    return list(map(_array, _tensors(values)))


def as_lists(value: Any) -> Any:
    """Return an array as nested lists, and a complex one as two of them.

    Returns None for a value that isn't numeric, is too large, or wasn't copied.
    """
    array = _array(value)
    if array is None or array.size > MOST_WRITTEN or array.dtype.kind in "OSU":
        return None
    if np.iscomplexobj(array):
        return {"real": array.real.tolist(), "imag": array.imag.tolist()}
    if array.dtype.kind not in "biuf":  # bfloat16
        array = array.astype(np.float32)
    return array.tolist()


def _close(old: list, new: list) -> bool:
    return len(old) == len(new) and all(map(_is_close, old, new))


def _is_close(old: np.ndarray | None, new: np.ndarray | None) -> bool:
    if old is None or new is None:
        return True
    if old.shape != new.shape or old.dtype.kind in "OSU":
        return old.shape == new.shape
    atol = TOLERANCE * abs(old).max(initial=0)
    return np.allclose(old, new, TOLERANCE, atol, equal_nan=True)


def _as_text(arrays: list) -> str:
    return ", ".join(
        " ".join(np.array2string(array, precision=6, threshold=12).split())
        for array in arrays
        if array is not None
    )
