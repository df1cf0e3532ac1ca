"""What a program gave a rule and got from it, in the calls that it really made."""

import functools
import inspect
import numbers
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

from vjpcheck.directions import Wrong
from vjpcheck.function import named, said, seen_by

KEPT_CALLS = 20
"""Of one rule."""
KEPT_NUMBERS = 100_000
"""Of one tensor; of a larger one it is only kept that it was there."""
TOLD_NUMBERS = 1000
REPEATED = 8
"""Calls that give the same only if nothing is drawn."""
NEAR = 1e-5
"""Of the largest number: what threads may add up otherwise the next time."""


@dataclass(frozen=True)
class Kept:
    """A copy of a tensor, so that none lives longer than it would."""

    array: np.ndarray | None

    @classmethod
    def of(cls, value: Any) -> Any:
        if not isinstance(value, (tf.Tensor, tf.Variable)):
            return value
        if value.shape.num_elements() > KEPT_NUMBERS:
            return cls(None)
        with tf.init_scope():  # unseen by tapes and by what counts variables
            if isinstance(value, tf.Variable):
                value = tf.raw_ops.ReadVariableOp(
                    resource=value.handle, dtype=value.dtype
                )
            return cls(np.array(value.numpy()))


@dataclass
class Asked:
    """What a rule was asked, and what it said."""

    upstream: Any = ()
    keywords: dict = field(default_factory=dict)
    downstream: Any = ()
    closed: dict[str, Any] = field(default_factory=dict)
    state: list[tuple[tf.Variable, Kept]] = field(default_factory=list)


@dataclass
class Record:
    """One call of a function with a rule, outside of graphs."""

    function: Callable
    arguments: tuple
    keywords: dict
    outputs: Any
    closed: dict[str, Any]
    """What the function sees beside its inputs."""
    asked: list[Asked] = field(default_factory=list)

    def as_json(self) -> Iterator[dict[str, Any]]:
        """The call with each question to its rule; arrays are nested lists."""
        signature = inspect.signature(self.function)
        inputs = dict(named(signature, self.arguments)) | self.keywords
        inputs.pop("self", None)
        for each in self.asked or [Asked()]:
            closed = {
                name: told
                for name, value in (self.closed | each.closed).items()
                if name not in inputs and (told := plain(value)) is not None
            }
            yield {
                "inputs": {name: plain(value) for name, value in inputs.items()},
                "closed": closed,
                "outputs": list(map(plain, _parts(self.outputs))),
                "upstream": list(map(plain, _parts(each.upstream))),
                "downstream": list(map(plain, _parts(each.downstream))),
                "variables": {
                    variable.name: plain(kept) for variable, kept in each.state
                },
            }

    def repeat(self) -> int:
        """Make the call again; how many questions had the same answer as in the run,
        not counting those that have another each time. Raises Wrong for others."""
        same = 0
        for n, asked in enumerate(self.asked or [Asked()]):
            again = self._again(asked)
            if again is None:
                return 0
            for what, then, now in zip(("values", "gradients"), self._then(n), again):
                if _alike(then, now):
                    continue
                more = [self._again(asked) for _ in range(REPEATED)]
                if not all(its and all(map(_alike, again, its)) for its in more):
                    return 0  # it draws random numbers
                raise Wrong(
                    f"the {what} were {_shown(then)} in the run, but the same call,"
                    f" made again, gives {_shown(now)}"
                )
            same += 1
        return same

    def _then(self, n: int) -> tuple[list, list]:
        answer = self.asked[n].downstream if self.asked else ()
        return _arrays(self.outputs), _arrays(answer)

    def _again(self, asked: Asked) -> tuple[list, list] | None:
        """Outputs and downstream; None where not all was kept."""
        given = (self.arguments, self.keywords, asked.upstream)
        kept = [each for each in tf.nest.flatten(given) if isinstance(each, Kept)]
        state = [*_state(self.closed), *asked.state]
        if any(each.array is None for each in [*kept, *(kept for _, kept in state)]):
            return None
        arguments, keywords, upstream = tf.nest.map_structure(
            lambda each: tf.constant(each.array) if isinstance(each, Kept) else each,
            given,
        )
        before = [(variable, variable.numpy()) for variable, _ in state]
        try:
            for variable, its in state:
                variable.assign(its.array)
            outputs, rule = self.function(*arguments, **keywords)
            answer = rule(*upstream, **asked.keywords) if self.asked else ()
            return _arrays(outputs), _arrays(answer)
        except Exception as error:
            raise Wrong(f"the same call, made again, raises {said(error)}") from error
        finally:
            for variable, value in before:
                variable.assign(value)


def recorded(
    function: Callable, records: list[Record], is_watching: Callable[[], bool]
) -> Callable:
    """The same function, of which the calls are kept; those inside a graph have no
    numbers, and are not."""

    def watches() -> bool:
        asked = sum(max(1, len(each.asked)) for each in records)
        return is_watching() and tf.executing_eagerly() and asked < KEPT_CALLS

    @functools.wraps(function, updated=())
    def forward(*arguments: Any, **keywords: Any) -> Any:
        made = function(*arguments, **keywords)
        if not (watches() and isinstance(made, tuple) and len(made) == 2):
            return made
        outputs, rule = made
        try:
            signature = inspect.signature(rule)
            inspect.signature(function).bind(*arguments)
        except (TypeError, ValueError):  # as TensorFlow will say itself
            return made
        its = tf.nest.map_structure(Kept.of, (arguments, keywords, outputs))
        record = Record(function, its[0], its[1], its[2], _seen_by(function))
        records.append(record)

        @functools.wraps(rule, updated=())
        def backward(*upstream: Any, **more: Any) -> Any:
            if not watches():
                return rule(*upstream, **more)
            state = [(each, Kept.of(each)) for each in more.get("variables") or ()]
            gradients = rule(*upstream, **more)
            its = tf.nest.map_structure(Kept.of, (upstream, gradients))
            record.asked.append(Asked(its[0], more, its[1], _seen_by(rule), state))
            return gradients

        backward.__signature__ = signature  # type: ignore[attr-defined]
        return outputs, backward

    return forward


def _seen_by(function: Callable) -> dict[str, Any]:
    """Numbers, arrays and variables that a function finds by name, as they are now;
    of a variable it is kept which one."""
    return {
        name: (value, Kept.of(value))
        if isinstance(value, tf.Variable)
        else Kept.of(value)
        for name, value in seen_by(function).items()
        if isinstance(value, (tf.Tensor, tf.Variable, np.ndarray, numbers.Number))
    }


def _state(closed: dict[str, Any]) -> list[tuple[tf.Variable, Kept]]:
    return [each for each in closed.values() if isinstance(each, tuple)]


def _parts(values: Any) -> Iterator[Any]:
    for each in tf.nest.flatten(values):
        if isinstance(each, tf.IndexedSlices):
            # Without a shape of the whole there is no tensor of them.
            whole = each.dense_shape is not None
            yield tf.convert_to_tensor(each) if whole else each.values
        else:
            yield from tf.nest.flatten(each, expand_composites=True)


def _array(value: Any) -> np.ndarray | None:
    if isinstance(value, tuple):
        value = value[1]
    if isinstance(value, Kept):
        return value.array
    if isinstance(value, (numbers.Number, np.ndarray)):
        return np.array(value)
    return np.array(value.numpy()) if hasattr(value, "numpy") else None


def _arrays(values: Any) -> list[np.ndarray | None]:
    return list(map(_array, _parts(values)))


def plain(value: Any) -> Any:
    """Nested lists; two of them of complex numbers; None of what is not kept."""
    array = _array(value)
    if array is None or array.size > TOLD_NUMBERS or array.dtype.kind in "OSU":
        return None
    if np.iscomplexobj(array):
        return {"real": array.real.tolist(), "imag": array.imag.tolist()}
    if array.dtype.kind not in "biuf":  # bfloat16
        array = array.astype(np.float32)
    return array.tolist()


def _alike(one: list, other: list) -> bool:
    return len(one) == len(other) and all(
        a is None
        or b is None
        or (
            a.shape == b.shape
            and (
                a.dtype.kind in "OSU"
                or np.allclose(a, b, NEAR, NEAR * abs(a).max(initial=0), equal_nan=True)
            )
        )
        for a, b in zip(one, other)
    )


def _shown(arrays: list) -> str:
    return ", ".join(
        " ".join(np.array2string(each, precision=6, threshold=12).split())
        for each in arrays
        if each is not None
    )
