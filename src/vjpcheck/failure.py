"""A failed check as text: what is wrong, the smallest counterexample, and advice."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf

from .advice import explain
from .core import GradientError, Undecided
from .function import call_of
from .options import options_of
from .point_check import PointCheck, at_arguments

SECONDS = 10.0
"""For a counterexample."""


def text(f: Callable, args: tuple, error: GradientError, **options: Any) -> str:
    """Return what a failed test prints, with the options of
    ``check_custom_gradient``."""
    name = getattr(f, "__name__", f)
    failed = "failed the check of its gradient"
    is_open = isinstance(error, Undecided)
    lines = [f"{name} {'could not be checked' if is_open else failed}:", f"  {error}"]
    # Where nothing could be compared, advice would be a guess.
    if not is_open:
        with suppress(Exception):
            if smaller := smallest(f, args, **options):
                lines += ["Smallest counterexample:", f"  {smaller}"]
        with suppress(Exception):
            mistakes = [each for each in explain(f, args, **options) if each.is_mistake]
            advice = [f"  {each}" for each in mistakes if not each.is_unnamed]
            lines += ["Advice:", *advice] if advice else []
    return "\n".join([*lines, f"The seed was {options.get('seed', 0)}."])


def smallest(f: Callable, args: tuple, **options: Any) -> str:
    """Return the problem at the smallest and simplest arguments found; nothing if the
    gradient is right at ``args`` itself."""
    call = call_of(f, f, args, {})
    leaves = call.start()
    wanted = replace(options_of(**options), shapes=False, graph=False, order=1)

    def problem(leaves: list) -> str:
        arguments = call.packed(call.tensors(leaves, double=False))
        # Maybe these arguments are not what the function takes.
        with suppress(Exception), at_arguments(f, arguments, wanted) as check:
            return _problem(check)
        return ""

    message, until = problem(leaves), time.monotonic() + SECONDS
    candidates = _simpler(leaves, call.moving)
    while message and time.monotonic() < until:
        if (candidate := next(candidates, None)) is None:
            break
        if smaller := problem(candidate):
            message, leaves = smaller, candidate
            candidates = _simpler(leaves, call.moving)
    return message


def _problem(check: PointCheck) -> str:
    """Return what is wrong at the arguments with simple upstream gradients."""
    for size in (1, 2):
        upstream = [tf.fill(y.shape, tf.cast(size, y.dtype)) for y in check.outputs]
        try:
            check.demand(upstream)
        except GradientError as error:
            return "" if isinstance(error, Undecided) else str(error)
    return ""


def _simpler(leaves: list, moving: list[int]) -> Iterator[list]:
    """Shorter axes first, of all arrays that share a length or of one; then rounder
    numbers."""
    arrays = {i: each for i, each in enumerate(leaves) if isinstance(each, np.ndarray)}
    lengths = {size for each in arrays.values() for size in each.shape if size > 1}
    for length in sorted(lengths, reverse=True):
        for shorter in {1, length // 2}:
            cut = {i: _cut(each, length, shorter) for i, each in arrays.items()}
            yield [cut.get(i, each) for i, each in enumerate(leaves)]
            for i in (i for i, each in arrays.items() if length in each.shape):
                yield [*leaves[:i], cut[i], *leaves[i + 1 :]]
    for i in moving:
        array = leaves[i]
        zeros, ones = np.zeros_like(array), np.ones_like(array)
        for rounder in (zeros, ones, array.round(), array.round(1)):
            if _cost(rounder) < _cost(array):
                yield [*leaves[:i], rounder, *leaves[i + 1 :]]


def _cut(array: np.ndarray, length: int, shorter: int) -> np.ndarray:
    return array[tuple(slice(shorter if n == length else None) for n in array.shape)]


def _cost(array: np.ndarray) -> int:
    return sum(len(f"{each:g}") for each in array.ravel().tolist())
