"""Numbers in a page's programs and outputs."""

import re
from functools import lru_cache

import numpy as np

from tracebook import includes

from ..page import Page

_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def contain(page: Page, value: np.ndarray, tolerance: float) -> bool:
    """Return whether programs and outputs of a page contain some numbers.

    Args:
        page: the page.
        value: complex numbers in any shape.
        tolerance: how far a real or imaginary part may be off.
    """
    numbers = _numbers(page)
    return all(
        np.any(np.abs(numbers - part) <= max(tolerance, 1e-9 * abs(part)))
        for number in np.ravel(value)
        for part in ({number.real, number.imag} - {0} or {0})
    )


@lru_cache(maxsize=4)
def _numbers(page: Page) -> np.ndarray:
    """Return all numbers, with both signs."""
    texts = [includes.visible(program.source) for program in page.programs.values()]
    texts += [page.read_text(path) for path in page.included_files(".out")]
    if page.path.suffix == ".py":
        texts.append(page.source)
    numbers = [float(text) for text in _NUMBER.findall(" ".join(texts))]
    return np.array([*numbers, *(-number for number in numbers)] or [0.0])
