"""Read the answers to exercises from the sources of pages."""

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
"""The functions of exercise.js in NumPy."""
POINTS = (0, 1, -1, 0.5, 2, -3, -0.25, 7)
UPSTREAM = (1, -2)
MOST_POINTS = 2000

MARK = "{.answer"
# Markdown would read ** or *x* in attributes as emphasis.
_VALUE = r"(?:[^\"\n*]|(?<= )\*(?= ))*"
_MARKED = re.compile(
    r"(?:`(?P<code>[^`\n]+)`|\*\*(?P<bold>[^*\n]+)\*\*)"
    rf"\{{\.answer(?P<data>(?: data-(?:of|by|at|name)=\"{_VALUE}\")*)\}}"
)
_TEX = re.compile(r"\$|\\,|\\mathrm\{(\w)\}")
"""TeX around a number in a formula."""
_DATA = re.compile(r'data-(\w+)="([^"]*)"')


@dataclass(frozen=True)
class Answer:
    """An answer to an exercise; a formula if it is the derivative ``of`` a function."""

    where: str
    text: str
    of: str = ""
    by: str = "x"
    at: str = ""
    name: str = ""

    @property
    def for_script(self) -> dict[str, str | None]:
        """The arguments of exercise.js, which reads them from the built page."""
        return {"answer": self.text, "of": self.of or None, "at": self.at or None}

    @property
    def names(self) -> list[str]:
        """The variables of the function and the answer."""
        names = re.findall(r"[^\W\d]\w*", f"{self.of} {self.text}")
        return [name for name in dict.fromkeys(names) if name not in FUNCTIONS]

    def points(self) -> dict[str, np.ndarray]:
        """Return the points of exercise.js, the simplest first, rounded to float32."""
        given_points = {}
        for setting in filter(str.strip, self.at.split(";")):
            name, numbers = setting.split("=")
            given_points[name.strip()] = tuple(map(float, numbers.split()))
        lists = [
            given_points.get(name, UPSTREAM if name.startswith("upstream") else POINTS)
            for name in self.names
        ]
        indices = sorted(product(*(range(len(each)) for each in lists)), key=sum)
        return {
            name: np.array([values[i[k]] for i in indices[:MOST_POINTS]], np.float32)
            for k, (name, values) in enumerate(zip(self.names, lists))
        }

    def values(self, dtype: Any = np.float64) -> np.ndarray:
        """Return the values of the answer at its points, computed by NumPy."""
        at = {name: values.astype(dtype) for name, values in self.points().items()}
        with np.errstate(all="ignore"):
            return evaluated(self.text, at, FUNCTIONS)


def evaluated(formula: str, at: dict, functions: dict) -> np.ndarray:
    """Evaluate a formula of a page in Python."""
    return eval(formula.replace("^", "**"), {"__builtins__": {}}, functions | at)


def answers(path: Path) -> Iterator[Answer]:
    """Return the answers of a page.

    Raises:
        ValueError: A mark isn't understood. The message has its line.
    """
    file = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        marks = [*_MARKED.finditer(line)]
        if len(marks) != line.count(MARK):
            raise ValueError(f"{file}:{number}: the mark of an answer is malformed")
        for mark in marks:
            code, data = mark["code"], mark["data"]
            if code and "data-of" not in data and re.search(r"\d", code):
                raise ValueError(f"{file}:{number}: numbers in code are not checked")
            text = _TEX.sub(r"\1", code or mark["bold"]).rpartition("=")[2].strip()
            yield Answer(f"{file}:{number}", text, **dict(_DATA.findall(data)))


PAGES = [
    path
    for path in sorted(settings.load(ROOT).docs_dir.rglob("*.md"))
    if MARK in path.read_text("utf-8")
]
ANSWERS = [each for path in PAGES for each in answers(path)]
FORMULAS = [each for each in ANSWERS if each.of]
