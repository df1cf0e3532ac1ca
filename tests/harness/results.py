"""Compare results, catch errors, and state the contrast of a claim."""

import ast
import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)


@dataclass
class Tried:
    """What the running test has tried; tests/claims/conftest.py reads it."""

    cases: int = 0
    places: set[str] = field(default_factory=set)
    dtypes: set[str] = field(default_factory=set)
    shapes: set[str] = field(default_factory=set)
    contrasts: dict[str, None] = field(default_factory=dict)

    def note(self, place: str, inputs: Iterable[tf.Tensor]) -> None:
        """Note that gradients were computed in a place, and at which inputs."""
        self.places.add(place)
        for tensor in inputs:
            self.cases += 1
            self.dtypes.add(tensor.dtype.name)
            self.shapes.add(str(tensor.shape))

    def add(self, other: "Tried") -> None:
        """Add what another run of the same test has tried."""
        self.cases += other.cases
        self.places |= other.places
        self.dtypes |= other.dtypes
        self.shapes |= other.shapes
        self.contrasts |= other.contrasts

    def clear(self) -> None:
        """Forget everything, before the next run."""
        vars(self).update(vars(Tried()))


tried = Tried()


@contextlib.contextmanager
def contrast(neighbor: str) -> Iterator[None]:
    """Mark the assertions that tell a claim from its nearest false neighbor.

    The block asserts, in a case where the false sentence predicts something else, what
    really happens. Readers see ``neighbor`` beside the claim, after "not".

    Args:
        neighbor: the false sentence, or its words that differ, for example
            ``"by its name"`` for "A tape identifies tensors by object identity".
    """
    yield
    tried.contrasts[neighbor] = None


def same(one: Any, other: Any, rel: float = 0.0) -> bool:
    """Compare two results, or two lists of results.

    NaN equals NaN, and ``None`` equals only ``None``. In float32 and below, a subnormal
    number equals 0, because TensorFlow flushes subnormal numbers to 0.

    Args:
        one, other: tensors, ``IndexedSlices``, arrays, numbers, ``None``, or lists.
        rel: the relative tolerance; 0 demands exact equality.

    Returns:
        Whether shapes and values agree.
    """
    if one is None or other is None:
        return one is None and other is None
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(
            same(a, b, rel) for a, b in zip(one, other)
        )
    a, b = _array(one), _array(other)
    is_flushed = _is_low_precision(one) or _is_low_precision(other)
    absolute = _SMALLEST_NORMAL if is_flushed else 0.0
    return a.shape == b.shape and np.allclose(a, b, rel, absolute, equal_nan=True)


def _is_low_precision(value: Any) -> bool:
    dtype = getattr(getattr(value, "dtype", None), "name", "float64")
    return dtype not in ("float64", "complex128")


def _array(value: Any) -> np.ndarray:
    """Convert to a float or complex array, with the rows of IndexedSlices added."""
    if isinstance(value, tf.IndexedSlices):
        value = tf.convert_to_tensor(value)
    # np.asarray fails for a bfloat16 tensor with one element, but .numpy() works.
    array = np.asarray(value.numpy() if tf.is_tensor(value) else value)
    if array.dtype.kind not in "fciub":  # bfloat16
        array = array.astype(np.float32)
    return array.astype(complex if array.dtype.kind == "c" else float)


def raised(function: Callable, *arguments: Any) -> Exception | None:
    """Call a function, and return the exception that it raises, or None."""
    try:
        with quiet():
            function(*arguments)
    except Exception as error:
        return error
    return None


def message(function: Callable, *arguments: Any) -> str:
    """Call a function, and return ``"TypeError: its message"`` on one line, or ``""``."""
    error = raised(function, *arguments)
    return "" if error is None else " ".join(f"{type(error).__name__}: {error}".split())


def is_rejected(check: Callable, *arguments: Any, **options: Any) -> bool:
    """Return whether a check raises an assertion error; no other error is expected."""
    error = raised(lambda: check(*arguments, **options))
    assert error is None or isinstance(error, AssertionError), error
    return error is not None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence the warnings of TensorFlow's logger."""
    logger = logging.getLogger("tensorflow")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def constant(source: str, name: str) -> Any:
    """Return the literal that a program assigns to a name at its top level.

    Raises:
        KeyError: the program assigns no literal to the name.
    """
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.literal_eval(node.value)
    raise KeyError(name)
