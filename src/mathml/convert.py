"""LaTeX to MathML, with the three factors of the chain rule marked."""

import re
from html import escape
from typing import NamedTuple

from math_core import LatexError, LatexToMathML

# math-core marks by an inline color only, so each role borrows one; the color
# that a reader sees is the stylesheet's. \mathord keeps the space of a letter.
_ROLES = {"upstream": "red", "local": "blue", "downstream": "green"}
_MACROS = {
    **{
        role: rf"\mathord{{\textcolor{{{color}}}{{#1}}}}"
        for role, color in _ROLES.items()
    },
    "d": r"\mathrm{d}",
    "T": r"{\mathsf{T}}",
    "R": r"\mathbb{R}",
    "C": r"\mathbb{C}",
}


class Failure(NamedTuple):
    """A formula that does not convert."""

    tex: str
    reason: str
    position: int
    """Character of ``tex`` at which the converter gave up; 0 if it read on
    to the end, where the mistake is not."""

    @property
    def line(self) -> int:
        """Line of ``tex`` that holds ``position``, from 0."""
        return self.tex.encode()[: self.position].count(b"\n")

    def __str__(self) -> str:
        there = self.tex.split("\n")[self.line].strip()
        return f"formula does not convert: {self.reason} in: {there}"


class FormulaError(Exception):
    """The formulas of one page that do not convert."""

    def __init__(self, failures: list[Failure]) -> None:
        super().__init__("\n".join(map(str, failures)))
        self.failures = failures


def _converter() -> LatexToMathML:
    return LatexToMathML(macros=_MACROS, fancy_error=False)


def _style_of(color: str) -> str:
    colored = _converter().convert_with_local_state(
        rf"\textcolor{{{color}}}{{x}}", displaystyle=False
    )
    return re.search(r'style="[^"]*"', colored)[0]


_CLASSES = {_style_of(color): f'class="{role}"' for role, color in _ROLES.items()}


def convert_all(formulas: list[tuple[str, bool]]) -> list[str]:
    """The MathML of one page's formulas, given as (LaTeX, is_display).

    References between equations are resolved within the list. A display
    formula carries its LaTeX as an annotation, for copying and for checks.
    Raises FormulaError with all that do not convert.
    """
    failures = []
    for tex, display in formulas:
        try:
            _converter().convert_all([(tex, display)])
        except LatexError as error:
            failures.append(_failure(tex, error))
    # A reference to another formula fails on its own, but not in the batch.
    try:
        converted = _converter().convert_all(formulas)
    except LatexError as error:
        raise FormulaError(failures or [_failure("", error)]) from None
    return [
        _annotated(_with_roles(mathml), tex) if display else _with_roles(mathml)
        for mathml, (tex, display) in zip(converted, formulas)
    ]


def error_box(tex: str) -> str:
    """What stands in a page that is served while its formula is broken."""
    return f'<code class="formula-error">{escape(tex)}</code>'


def _failure(tex: str, error: LatexError) -> Failure:
    # "7: Reason." or, in a batch, "input0:7: Reason."; in a macro no position.
    place, _, reason = str(error).partition(": ")
    position = re.fullmatch(r"(?:input\d+:)?(\d+)", place)
    start = int(position[1]) if position else 0
    return Failure(tex, reason.rstrip("."), start if start < len(tex.encode()) else 0)


def _with_roles(mathml: str) -> str:
    for style, role in _CLASSES.items():
        mathml = mathml.replace(style, role)
    return mathml


def _annotated(mathml: str, tex: str) -> str:
    opening, inner = re.fullmatch(
        r"(<math[^>]*>)(.*)</math>", mathml, re.DOTALL
    ).groups()
    return (
        f"{opening}<semantics><mrow>{inner}</mrow><annotation"
        f' encoding="application/x-tex" data-search-exclude>'
        f"{escape(tex)}</annotation></semantics></math>"
    )
