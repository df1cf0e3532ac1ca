"""Lists of arrays as one row of numbers, and as text. Only NumPy is needed."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def as_tuple(args: Any) -> tuple:
    """Return arguments as a tuple; one alone needs none."""
    return tuple(args) if isinstance(args, (tuple, list)) else (args,)


def flat(arrays: list) -> np.ndarray:
    """Return all numbers in a row; a complex one is two."""
    parts = []
    for part in arrays:
        array = np.asarray(part)
        kind = np.complex128 if np.iscomplexobj(array) else np.float64
        parts.append(array.astype(kind).ravel().view(np.float64))
    return np.concatenate(parts) if parts else np.zeros(0)


def unflat(row: np.ndarray, like: list) -> list[np.ndarray]:
    """Return the arrays that ``flat`` put in a row."""
    arrays, start = [], 0
    for template in map(np.asarray, like):
        size = template.size * (2 if np.iscomplexobj(template) else 1)
        kind = np.complex128 if np.iscomplexobj(template) else np.float64
        part = row[start : start + size].copy().view(kind)
        arrays.append(part.reshape(template.shape))
        start += size
    return arrays


def normal(rng: np.random.Generator, like: np.ndarray) -> np.ndarray:
    """Return random numbers of the same shape, complex like its own."""
    real = rng.standard_normal(like.shape)
    if np.iscomplexobj(like):
        return real + 1j * rng.standard_normal(like.shape)
    return real


def dot(left: np.ndarray, right: np.ndarray) -> float:
    """Return the inner product of two rows."""
    # Not '@', which wakes a thread on each core, and has them wait for each other.
    return float((left * right).sum())


def moved_to(place: Sequence, moving: list[int], arrays: list) -> list:
    """Return a list in which the items at some places are others."""
    moved = list(place)
    for i, array in zip(moving, arrays):
        moved[i] = array
    return moved


def point_text(names: list[str], arrays: list) -> str:
    """Return a point as text, for messages."""
    pairs = zip(names, arrays)
    return "at " + ", ".join(f"{name} = {as_text([each])}" for name, each in pairs)


def as_text(arrays: list) -> str:
    """Return short arrays in digits, and long ones by their shapes."""

    def one(array: np.ndarray) -> str:
        if array.size > 12:
            return f"numbers of shape {list(array.shape)}"
        return " ".join(np.array2string(array, precision=4).split())

    return ", ".join(one(np.asarray(each)) for each in arrays)


def element(name: str, array: np.ndarray, n: int) -> str:
    """Return the name of the n-th number of an array in a row."""
    if not array.ndim:
        return name
    part = ""
    if np.iscomplexobj(array):
        n, odd = divmod(n, 2)
        part = ("real part of ", "imaginary part of ")[odd]
    index = ", ".join(map(str, np.unravel_index(n, array.shape)))
    return f"{part}{name}[{index}]"


def wide(dtype: str) -> str:
    """Return the widest dtype of the same kind."""
    return "complex128" if dtype.startswith("complex") else "float64"


def dtype_name(tensor: Any) -> str:
    """Return the name of a tensor's dtype, as in NumPy."""
    return getattr(tensor.dtype, "name", str(tensor.dtype)).removeprefix("torch.")
