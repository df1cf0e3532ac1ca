"""A failed check as text: what is wrong, the smallest counterexample, and advice."""

import contextlib
import inspect
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from .derivatives import Result
from .function import inexact
from .grads import OTHERS, check_custom_gradient, check_grads
from .linter import explain

SECONDS = 10.0
"""For a counterexample."""
_TOLERANCES = ("atol", "rtol", "eps", "seed")
NUMBER = "index#wrong-number"
"""The entry that says no more than the check itself."""


def text(f: Callable, args: tuple, result: Result, **options: Any) -> str:
    """Return what a failed test prints, with the options of
    ``check_custom_gradient``."""
    parameters = inspect.signature(check_custom_gradient).parameters
    declared = {name: options[name] for name in options if name not in parameters}
    tolerances = {name: options[name] for name in _TOLERANCES if name in options}
    seed = options.get("seed", 0)
    # At other arguments, what is declared may ask for another answer, or exclude them.
    is_plain = not (OTHERS | {"where", "within"}) & declared.keys()
    lines = [f"{getattr(f, '__name__', f)} failed the check of its gradient:"]
    lines += [f"  {problem}" for problem in result.problems]
    if (
        not result.undecided
        and is_plain
        and (smaller := smallest(f, args, **tolerances))
    ):
        lines += ["Smallest counterexample:", f"  {smaller}"]
    with contextlib.suppress(Exception):
        # Where nothing could be compared, advice would be a guess.
        advice = [
            f"  {each}"
            for each in explain(f, *args, **declared)
            if each.is_mistake and each.entry != NUMBER and not result.undecided
        ]
        lines += ["Advice:", *advice] if advice else []
    return "\n".join([*lines, f"The seed was {seed}."])


def smallest(f: Callable, args: tuple, **tolerances: Any) -> str:
    """The problem at the smallest and simplest arguments found; empty if reverse mode
    of order 1 is right at ``args`` itself. Tolerances and the seed are kept."""
    leaves = [_array(each) for each in tf.nest.flatten(args)]
    problem = _problem(f, args, leaves, tolerances)
    until = time.monotonic() + SECONDS
    candidates = _simpler(leaves)
    while problem and time.monotonic() < until:
        try:
            candidate = next(candidates)
        except StopIteration:
            break
        if smaller := _problem(f, args, candidate, tolerances):
            problem, leaves = smaller, candidate
            candidates = _simpler(leaves)
    return problem


def _array(value: Any) -> Any:
    """Numbers that may be changed, as an array."""
    is_number = isinstance(value, (float, np.ndarray)) or hasattr(value, "numpy")
    if not is_number or not inexact(tf.convert_to_tensor(value).dtype):
        return value
    return tf.convert_to_tensor(value).numpy()


def _problem(f: Callable, args: tuple, leaves: list, tolerances: dict) -> str:
    tensors = [
        tf.constant(each) if isinstance(each, np.ndarray | np.generic) else each
        for each in leaves
    ]
    inputs = tf.nest.pack_sequence_as(args, tensors)
    try:
        outputs = [tf.convert_to_tensor(each) for each in tf.nest.flatten(f(*inputs))]
    except Exception:  # not what the function takes
        return ""
    ones = [tf.ones_like(each) for each in outputs if inexact(each.dtype)]
    for upstream in (ones, [2 * each for each in ones], None):
        result = check_grads(
            f,
            inputs,
            modes=["rev"],
            upstream=upstream,
            nondet_tol=None,
            raise_exception=False,
            **tolerances,
        )
        if result.problems and not result.undecided:
            return result.problems[0]
    return ""


def _simpler(leaves: list) -> Iterator[list]:
    """Shorter axes first, of all arrays that share a length or of one; then rounder
    numbers."""
    arrays = {i: array for i, array in enumerate(leaves) if hasattr(array, "ndim")}
    lengths = {size for array in arrays.values() for size in array.shape if size > 1}
    for length in sorted(lengths, reverse=True):
        for shorter in {1, length // 2}:
            yield _changed(leaves, arrays, lambda a: _cut(a, length, shorter))  # noqa: B023
            for i, array in arrays.items():
                if length in array.shape:
                    yield _changed(leaves, {i: _cut(array, length, shorter)})
    for i, array in arrays.items():
        for rounder in (
            np.zeros_like(array),
            np.ones_like(array),
            array.round(),
            array.round(1),
        ):
            if _cost(rounder) < _cost(array):
                yield _changed(leaves, {i: rounder})


def _changed(leaves: list, arrays: dict, change: Callable = lambda a: a) -> list:
    return [change(arrays[i]) if i in arrays else each for i, each in enumerate(leaves)]


def _cut(array: np.ndarray, length: int, shorter: int) -> np.ndarray:
    return array[tuple(slice(shorter if n == length else None) for n in array.shape)]


def _cost(array: np.ndarray) -> int:
    return sum(len(f"{each:g}") for each in array.ravel().tolist())
