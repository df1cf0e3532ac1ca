"""The answers that the pages mark for their exercises, read without a browser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tracebook import settings

from .project import ROOT

FUNCTIONS = {
    "abs": np.abs, "cos": np.cos, "cosh": np.cosh, "exp": np.exp, "expm1": np.expm1,
    "log": np.log, "log1p": np.log1p, "max": np.maximum, "maximum": np.maximum,
    "min": np.minimum, "minimum": np.minimum, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sign": np.sign, "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt,
    "square": np.square, "tan": np.tan, "tanh": np.tanh,
}  # fmt: skip
"""Those of exercise.js, by NumPy."""
POINTS = (0, 1, -1, 0.5, 2, -3, -0.25, 7)
UPSTREAM = (1, -2)
MOST_POINTS = 2000

MARK = "{.answer"
# Markdown would take two ** in attributes, or *x*, for marks of emphasis.
_VALUE = r"(?:[^\"\n*]|(?<= )\*(?= ))*"
_MARKED = re.compile(
    r"(?:`(?P<code>[^`\n]+)`|\*\*(?P<bold>[^*\n]+)\*\*)"
    rf"\{{\.answer(?P<said>(?: data-(?:of|by|at|name)=\"{_VALUE}\")*)\}}"
)
_TEX = re.compile(r"\$|\\,|\\mathrm\{(\w)\}")
"""What a number in a formula has around it."""
_SAID = re.compile(r'data-(\w+)="([^"]*)"')


@dataclass(frozen=True)
class Answer:
    """One answer: a formula if it is the derivative ``of`` something."""

    where: str
    text: str
    of: str = ""
    by: str = "x"
    at: str = ""
    name: str = ""

    @property
    def for_script(self) -> dict[str, str | None]:
        """As exercise.js reads it off the built page."""
        return {"answer": self.text, "of": self.of or None, "at": self.at or None}

    @property
    def names(self) -> list[str]:
        found = re.findall(r"[^\W\d]\w*", f"{self.of} {self.text}")
        return [name for name in dict.fromkeys(found) if name not in FUNCTIONS]

    def points(self) -> dict[str, np.ndarray]:
        """The points of exercise.js: the simplest first, as float32 has them."""
        said = {}
        for each in filter(str.strip, self.at.split(";")):
            name, numbers = each.split("=")
            said[name.strip()] = tuple(map(float, numbers.split()))
        lists = [
            said.get(name, UPSTREAM if name.startswith("upstream") else POINTS)
            for name in self.names
        ]
        chosen = sorted(product(*(range(len(each)) for each in lists)), key=sum)
        return {
            name: np.array([its[each[k]] for each in chosen[:MOST_POINTS]], np.float32)
            for k, (name, its) in enumerate(zip(self.names, lists))
        }

    def values(self, dtype: Any = np.float64) -> np.ndarray:
        """What the answer gives at its points, by NumPy alone."""
        at = {name: its.astype(dtype) for name, its in self.points().items()}
        with np.errstate(all="ignore"):
            return evaluated(self.text, at, FUNCTIONS)


def evaluated(formula: str, at: dict, functions: dict) -> np.ndarray:
    """A formula of a page in Python."""
    return eval(formula.replace("^", "**"), {"__builtins__": {}}, functions | at)


def answers(path: Path) -> Iterator[Answer]:
    """The answers of a page.

    Raises ValueError, with the line, for a mark that is not understood.
    """
    shown = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        found = [*_MARKED.finditer(line)]
        if len(found) != line.count(MARK):
            raise ValueError(f"{shown}:{number}: an answer is marked as no other is")
        for each in found:
            if (
                each["code"]
                and "data-of" not in each["said"]
                and re.search(r"\d", each["code"])
            ):
                raise ValueError(f"{shown}:{number}: numbers in code are not checked")
            text = _TEX.sub(r"\1", each["code"] or each["bold"])
            text = text.rpartition("=")[2].strip()
            yield Answer(f"{shown}:{number}", text, **dict(_SAID.findall(each["said"])))


PAGES = [
    path
    for path in sorted(settings.load(ROOT).docs_dir.rglob("*.md"))
    if MARK in path.read_text("utf-8")
]
ANSWERS = [each for path in PAGES for each in answers(path)]
FORMULAS = [each for each in ANSWERS if each.of]
