"""Make notebooks of the exercises whose answer is a formula.

Each exercise has its question, a custom gradient to complete, and a cell that checks
the gradient with the site's own checker.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from . import jupyter

FOLDER = "exercises"
CHECKER = f"{FOLDER}/vjpcheck.zip"
"""Archive of the checker beside the notebooks, which import it."""
OPENING = (
    "Run the first cell. Then replace `None` with your formula in an exercise, and run"
    " its two cells. The second one checks the gradient. `grad` returns the downstream"
    " gradient, which is upstream times the local derivative. Write the formula in"
    " Python, with functions such as `tf.math.cos`."
)
_ANSWER = re.compile(r'\{\.answer (?P<data>[^}]*\bdata-of="[^}]*)\}')
_DATA = re.compile(r'data-(\w+)="([^"]*)"')
_FOLD = re.compile(r"^\?\?\?.*\n(?:\n| {4}.*(?:\n|\Z))*", re.MULTILINE)
_TITLE = re.compile(r"^\*\*", re.MULTILINE)
_TERM = re.compile(
    r"(?P<upstream>upstream(?:_\w+)?|\w+_bar) (?P<sign>[*/]) (?P<output>.*)"
)
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
_SETUP = '''\
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
        result = check_custom_gradient(function, inputs, shapes=False)
    except AssertionError as error:
        print(f"Wrong: {{error}}")
    else:
        print(f"Right. {{result.compared}} derivatives agree with finite differences.")
'''


@dataclass(frozen=True)
class Exercise:
    """A question, and the derivatives that answer it."""

    question: str
    formula: str
    """The differentiated function, or a sum of upstream gradients times outputs."""
    inputs: tuple[str, ...]
    """Inputs by which it is differentiated."""
    points: str
    """Values of the inputs, such as ``x = 1 2; u = 3``."""

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the function, by the names of their upstream gradients."""
        outputs = {}
        for text in self.formula.split(" + "):
            term = _TERM.fullmatch(text)
            if term is None:
                return {"upstream": self.formula}
            inverse = "1 / " if term["sign"] == "/" else ""
            outputs[term["upstream"]] = inverse + term["output"]
        return outputs

    @property
    def constants(self) -> list[str]:
        """The names in the function that aren't inputs."""
        names = re.findall(r"\b[a-zA-Z]\w*\b(?!\()", " ".join(self.outputs.values()))
        return [name for name in dict.fromkeys(names) if name not in self.inputs]

    @property
    def template(self) -> str:
        """The custom gradient to complete."""
        downstream = ", ".join(f"downstream_{name}" for name in self.inputs)
        values = ", ".join(map(_to_python, self.outputs.values()))
        lines = [
            f"{name} = tf.constant({_values(number)})"
            for number, name in enumerate(self.constants, 1)
        ]
        lines += [
            *([""] * 2 if lines else []),
            "@tf.custom_gradient",
            f"def function({', '.join(self.inputs)}):",
            f"    def grad({', '.join(self.outputs)}):",
            f"        {downstream} = {', '.join(['None'] * len(self.inputs))}"
            f"  # replace None with your formula{'s' * (len(self.inputs) > 1)}",
            f"        return {downstream}",
            "",
            f"    return {f'({values})' if len(self.outputs) > 1 else values}, grad",
        ]
        return "\n".join(lines)

    @property
    def check(self) -> str:
        """The call that checks the gradient."""
        points = dict(re.findall(r"(\w+) *= *([^;]*)", self.points))
        inputs = (
            f"tf.constant({_values(number, points.get(name, ''))})"
            for number, name in enumerate(self.inputs)
        )
        return f"check(function, {', '.join(inputs)})"


def _to_python(formula: str) -> str:
    """Return a formula of a page as an expression in TensorFlow."""
    return re.sub(r"\b(\w+)(?=\()", r"tf.math.\1", formula.replace("^", "**"))


def _values(number: int, points: str = "") -> str:
    """Return the values of an input or a constant, which has this number."""
    # Finite differences lose digits at small and large points.
    all_values = map(float, _NUMBER.findall(points))
    values = [value for value in all_values if 0.1 <= abs(value) <= 7]
    values = values or [value + 0.25 * number for value in (0.5, 2.0, -1.25)]
    return f"[{', '.join(map(str, values))}]"


def address(page: str) -> str:
    """Return the address of the notebook for the path of a page."""
    return f"{FOLDER}/{posixpath.basename(page).removesuffix('.md')}.ipynb"


def find(markdown: str) -> Iterator[Exercise]:
    """Return the exercises of a page whose answer is a formula."""
    markdown = markdown.expandtabs(4)
    for fold in _FOLD.finditer(markdown):
        above = markdown[: fold.start()]
        start = [0, *(title.start() for title in _TITLE.finditer(above))][-1]
        question = _FOLD.sub("", above[start:]).strip()
        answers = [dict(_DATA.findall(data)) for data in _ANSWER.findall(fold[0])]
        for formula in dict.fromkeys(answer["of"] for answer in answers):
            derivatives = [answer for answer in answers if answer["of"] == formula]
            inputs = tuple(answer.get("by", "x") for answer in derivatives)
            yield Exercise(question, formula, inputs, derivatives[0].get("at", ""))


def notebook(
    exercises: Iterable[Exercise],
    opening: str,
    site: str,
    rewrite: Callable[[str], str],
) -> str:
    """Return the file of the notebook of a page's exercises.

    Args:
        exercises: Exercises of the page.
        opening: First paragraph.
        site: Address of the site, for the download of the checker.
        rewrite: Function that rewrites a question in plain Markdown.
    """
    setup = _SETUP.format(site=site, checker=CHECKER)
    cells = [jupyter.cell("markdown", opening), jupyter.cell("code", setup)]
    for exercise in exercises:
        cells.append(jupyter.cell("markdown", rewrite(exercise.question)))
        cells.append(jupyter.cell("code", exercise.template))
        cells.append(jupyter.cell("code", exercise.check))
    return jupyter.to_json(cells)
