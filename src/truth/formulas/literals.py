"""The numbers and shapes that a page's programs and traces hold."""

import ast
import re
from functools import lru_cache

import numpy as np

from tracebook import includes

from ..page import Page


@lru_cache(maxsize=4)
def arrays(page: Page) -> list[np.ndarray]:
    """Every list of numbers in the programs that the page embeds."""
    found = []
    for path in page.included_files(".py"):
        try:
            tree = ast.parse(path.read_text("utf-8"))
        except SyntaxError:  # wrong on purpose
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.List, ast.Tuple, ast.Constant, ast.UnaryOp)):
                try:
                    array = np.array(ast.literal_eval(node), dtype=complex)
                except (ValueError, TypeError):
                    continue
                found.append(array)
    return found


def have(page: Page, value: np.ndarray, within: float) -> bool:
    """Whether programs and traces of the page hold all of some numbers."""
    there = _numbers(page)
    return all(
        np.any(np.abs(there - part) <= max(within, 1e-9 * abs(part)))
        for number in np.ravel(value)
        for part in ({number.real, number.imag} - {0} or {0})
    )


@lru_cache(maxsize=4)
def _numbers(page: Page) -> np.ndarray:
    text = " ".join(
        [page.source if page.path.suffix == ".py" else ""]
        + [
            includes.read(path)
            for suffix in (".py", ".out")
            for path in page.included_files(suffix)
        ]
    )
    found = re.findall(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text)
    return np.array([sign * float(each) for each in found for sign in (1, -1)] or [0.0])


@lru_cache(maxsize=4)
def shapes(page: Page) -> set[tuple[int, ...]]:
    """Shapes of those lists, and shapes that the traces print."""
    found = {array.shape for array in arrays(page)}
    for path in page.included_files(".out"):
        for match in re.finditer(
            r"[(\[](\d+(?:, \d+)*),?[)\]]", path.read_text("utf-8")
        ):
            found.add(tuple(map(int, match[1].split(", "))))
    return found
