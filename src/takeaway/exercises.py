"""Notebooks of the exercises whose answer is a formula: the question, a custom gradient
to complete, and a cell that checks it with the site's own checker."""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from . import jupyter

FOLDER = "exercises"
CHECKER = f"{FOLDER}/vjpcheck.zip"
"""The checker beside the notebooks, from which Python imports it."""
OPENING = (
    "Run the first cell. Then replace `None` with your formula in an exercise, and run"
    " its two cells. The second one checks the gradient. `grad` returns the downstream"
    " gradient, which is upstream times the local derivative. Write the formula in"
    " Python, with functions such as `tf.math.cos`."
)
_ANSWER = re.compile(r'\{\.answer (?P<said>[^}]*\bdata-of="[^}]*)\}')
_SAID = re.compile(r'data-(\w+)="([^"]*)"')
_FOLD = re.compile(r"^\?\?\?.*\n(?:\n| {4}.*(?:\n|\Z))*", re.MULTILINE)
_TITLE = re.compile(r"^\*\*", re.MULTILINE)
_FACTOR = re.compile(
    r"(?P<upstream>upstream(?:_\w+)?|\w+_bar) (?P<sign>[*/]) (?P<rest>.*)"
)
_FIRST = '''\
from pathlib import Path
from urllib.request import urlretrieve
import sys

import tensorflow as tf

site = "{site}"
if site and not Path("vjpcheck.zip").exists():
    urlretrieve(site + "{checker}", "vjpcheck.zip")
sys.path.insert(0, "vjpcheck.zip")
tf.get_logger().setLevel("ERROR")  # each check traces functions anew
from vjpcheck import check_custom_gradient


def check(function, *inputs):
    """Print whether the gradient function of a function is right."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = function(*inputs)
    if None in tape.gradient(outputs, inputs):
        print("Replace None with your formula in grad. Run that cell, then this one.")
        return
    try:
        result = check_custom_gradient(function, inputs)
    except AssertionError as error:
        print(f"Wrong: {{error}}")
    else:
        print(f"Right. {{result.compared}} derivatives agree with finite differences.")
'''


@dataclass(frozen=True)
class Exercise:
    """One question, the function that it is about, and the inputs by whose derivatives
    it is answered."""

    question: str
    of: str
    by: tuple[str, ...]
    at: str

    @property
    def outputs(self) -> dict[str, str]:
        """The upstream gradient of each output of the function, and the output."""
        found = [_FACTOR.fullmatch(each) for each in self.of.split(" + ")]
        if not all(found):
            return {"upstream": self.of}
        return {
            each["upstream"]: each["rest"]
            if each["sign"] == "*"
            else f"1 / {each['rest']}"
            for each in found
            if each
        }

    @property
    def constants(self) -> list[str]:
        """Names in the function that are none of its inputs."""
        names = re.findall(r"\b[a-zA-Z]\w*\b(?!\()", " ".join(self.outputs.values()))
        return [each for each in dict.fromkeys(names) if each not in self.by]

    @property
    def template(self) -> str:
        names = ", ".join(self.by)
        downstream = ", ".join(f"downstream_{each}" for each in self.by)
        values = ", ".join(_python(each) for each in self.outputs.values())
        lines = [
            f"{each} = tf.constant({_values(k + 1)})"
            for k, each in enumerate(self.constants)
        ]
        lines += [
            *([""] * 2 if lines else []),
            "@tf.custom_gradient",
            f"def function({names}):",
            f"    def grad({', '.join(self.outputs)}):",
            f"        {downstream} = {', '.join(['None'] * len(self.by))}"
            f"  # replace None with your formula{'s' * (len(self.by) > 1)}",
            f"        return {downstream}",
            "",
            f"    return {f'({values})' if len(self.outputs) > 1 else values}, grad",
        ]
        return "\n".join(lines)

    @property
    def check(self) -> str:
        said = dict(re.findall(r"(\w+) *= *([^;]*)", self.at))
        inputs = [_values(k, said.get(name, "")) for k, name in enumerate(self.by)]
        return (
            f"check(function, {', '.join(f'tf.constant({each})' for each in inputs)})"
        )


def _python(formula: str) -> str:
    """A formula of a page, by TensorFlow."""
    return re.sub(r"\b(\w+)(?=\()", r"tf.math.\1", formula.replace("^", "**"))


def _values(number: int, at: str = "") -> str:
    """Where a function is checked: at the points of the exercise that are neither small
    nor large, where finite differences lose digits, or at others."""
    said = [float(each) for each in re.findall(r"-?\d*\.?\d+(?:e-?\d+)?", at)]
    points = [each for each in said if 0.1 <= abs(each) <= 7]
    points = points or [each + 0.25 * number for each in (0.5, 2.0, -1.25)]
    return f"[{', '.join(map(str, points))}]"


def address(page: str) -> str:
    """Of the notebook of a page, by the page's path."""
    return f"{FOLDER}/{posixpath.basename(page).removesuffix('.md')}.ipynb"


def exercises(markdown: str) -> Iterator[Exercise]:
    """Those of a page whose answer is a formula."""
    markdown = markdown.expandtabs(4)
    for fold in _FOLD.finditer(markdown):
        said = [dict(_SAID.findall(each)) for each in _ANSWER.findall(fold[0])]
        for of in dict.fromkeys(each["of"] for each in said):
            its = [k for k, each in enumerate(said) if each["of"] == of]
            above = markdown[: fold.start()]
            start = [0, *(each.start() for each in _TITLE.finditer(above))][-1]
            yield Exercise(
                _FOLD.sub("", markdown[start : fold.start()]).strip(),
                of,
                tuple(said[k].get("by", "x") for k in its),
                said[its[0]].get("at", ""),
            )


def notebook(
    found: list[Exercise], opening: str, site: str, shown: Callable[[str], str]
) -> str:
    """The exercises of a page; ``shown`` is a question as any reader has it."""
    first = jupyter.cell("code", _FIRST.format(site=site, checker=CHECKER))
    cells = [jupyter.cell("markdown", opening), first]
    for each in found:
        cells.append(jupyter.cell("markdown", shown(each.question)))
        cells += [jupyter.cell("code", each.template), jupyter.cell("code", each.check)]
    return jupyter.written(cells)
