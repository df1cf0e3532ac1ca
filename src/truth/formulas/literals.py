"""The numbers and shapes that a page's programs and traces hold."""

import ast
import re

import numpy as np

from ..page import Page


def arrays(page: Page) -> list[np.ndarray]:
    """Every list of numbers in the programs that the page embeds."""
    found = []
    for path in page.embedded(".py"):
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


def shapes(page: Page) -> set[tuple[int, ...]]:
    """Shapes of those lists, and shapes that the traces print."""
    found = {array.shape for array in arrays(page)}
    for path in page.embedded(".out"):
        for match in re.finditer(
            r"[(\[](\d+(?:, \d+)*),?[)\]]", path.read_text("utf-8")
        ):
            found.add(tuple(map(int, match[1].split(", "))))
    return found
