"""Numbers and shapes in a page's programs and outputs."""

import ast
import re
from functools import lru_cache

import numpy as np

from tracebook import includes

from ..page import Page

_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_SHAPE = re.compile(r"[(\[](\d+(?:, \d+)*),?[)\]]")


@lru_cache(maxsize=4)
def arrays(page: Page) -> list[np.ndarray]:
    """Return every number and every list of numbers in the included programs."""
    result = []
    for program in page.programs.values():
        try:
            tree = ast.parse(program.source)
        except SyntaxError:  # a deliberately wrong program
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.List, ast.Tuple, ast.Constant, ast.UnaryOp)):
                try:
                    result.append(np.array(ast.literal_eval(node), dtype=complex))
                except (ValueError, TypeError):
                    continue
    return result


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


@lru_cache(maxsize=4)
def shapes(page: Page) -> set[tuple[int, ...]]:
    """Return the shapes of all arrays, and those that the outputs print."""
    result = {array.shape for array in arrays(page)}
    for path in page.included_files(".out"):
        for text in _SHAPE.findall(page.read_text(path)):
            result.add(tuple(map(int, text.split(", "))))
    return result
