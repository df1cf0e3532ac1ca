"""LaTeX to MathML, with the three factors of the chain rule marked: for the stylesheet
by a class, and for a screen reader by an intent, which has it say "upstream" before the
factor."""

import re
from html import escape
from typing import NamedTuple

from math_core import LatexError, LatexToMathML

# math-core marks by an inline color only, so each role borrows one; the color
# that a reader sees is the stylesheet's. \mathord keeps the space of a letter.
_ROLES = {"upstream": "red", "local": "blue", "downstream": "green"}
MACROS = {
    **{
        role: rf"\mathord{{\textcolor{{{color}}}{{#1}}}}"
        for role, color in _ROLES.items()
    },
    "d": r"\mathrm{d}",
    "T": r"{\mathsf{T}}",
    "R": r"\mathbb{R}",
    "C": r"\mathbb{C}",
}
"""The site's own, and what they stand for."""


_COMMAND = re.compile(
    rf"\\(?:(?P<name>{'|'.join(MACROS)})(?![A-Za-z])\s*|[A-Za-z]+|[^A-Za-z])"
)


def expanded(tex: str, colors: dict[str, str] | None = None) -> str:
    """LaTeX without comments and without the site's own macros, on one line, for
    readers that do not know them; a role is set in its one of the ``colors``. Without
    colors, the roles stay: for who reads LaTeX, and can be told what they mean."""
    text, parts, end = re.sub(r"(?<!\\)%[^\n]*", "", tex), [], 0
    while found := _COMMAND.search(text, end):
        parts.append(text[end : found.start()])
        end = found.end()
        if (role := found["name"]) in _ROLES:
            argument, end = _argument(text, end)
            inside = expanded(argument, colors)
            parts.append(
                rf"{{\textcolor{{{colors[role]}}}{{{inside}}}}}"
                if colors
                else rf"\{role}{{{inside}}}"
            )
        elif found["name"]:
            parts.append(f"{MACROS[found['name']]} ")
        else:
            parts.append(found[0])
    return " ".join("".join([*parts, text[end:]]).split())


def _argument(text: str, start: int) -> tuple[str, int]:
    """What a macro at this place is given, and where that ends."""
    if text[start : start + 1] != "{":
        return text[start : start + 1], start + 1
    depth = 0
    for brace in re.finditer(r"\\.|[{}]", text[start:], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start + 1 : start + brace.start()], start + brace.end()
    raise ValueError(f"a brace without its partner: {text}")


class Failure(NamedTuple):
    """Why a formula does not convert."""

    tex: str
    reason: str
    position: int = 0
    """Character of ``tex`` at which the converter gave up; 0 if it read on
    to the end, where the mistake is not."""

    @property
    def line(self) -> int:
        """Line of ``tex`` that holds ``position``, from 0."""
        return self.tex.count("\n", 0, self.position)

    def __str__(self) -> str:
        there = self.tex.split("\n")[self.line].strip()
        return f"formula does not convert: {self.reason} in: {there}"


class FormulaError(Exception):
    """The formulas of one page that do not convert, by number."""

    def __init__(self, failures: dict[int, Failure]) -> None:
        super().__init__("\n".join(map(str, failures.values())))
        self.failures = failures


def _converter() -> LatexToMathML:
    return LatexToMathML(macros=MACROS, fancy_error=False)


_UNPADDED = 'style="padding-left:0;padding-right:0;"'


def _style_of(color: str) -> str:
    colored = _converter().convert_with_local_state(
        rf"\textcolor{{{color}}}{{x}}", displaystyle=False
    )
    return re.findall(r'style="[^"]*"', colored)[0]


_FACTORS = {
    f"<mpadded {_UNPADDED}><mrow {_style_of(color)}>": (
        f'<mpadded {_UNPADDED} intent="{role}:prefix($of)">'
        f'<mrow class="{role}" arg="of">'
    )
    for role, color in _ROLES.items()
}
"""How a factor begins, and with its marks. Its \\mathord is an element without which
the intent could name no part."""


def convert_all(formulas: list[tuple[str, bool]]) -> list[str]:
    """The MathML of one page's formulas, given as (LaTeX, is_display).

    References between equations are resolved within the list. A display
    formula carries its LaTeX as an annotation, for copying and for checks.
    Raises FormulaError with all that do not convert.
    """
    failures = {}
    for number, formula in enumerate(formulas):
        try:
            _converter().convert_all([formula])
        except LatexError as error:
            failures[number] = _failure(formula[0], error)
    if not failures:
        converted = _converter().convert_all(formulas)
        failures = _bad_references(converted, [tex for tex, _ in formulas])
    if failures:
        raise FormulaError(failures)
    return [
        _annotated(_with_roles(mathml), tex) if display else _with_roles(mathml)
        for mathml, (tex, display) in zip(converted, formulas)
    ]


def _bad_references(converted: list[str], texs: list[str]) -> dict[int, Failure]:
    """The converter lets a label stand twice, and writes ?? where there is none."""
    failures, labels = {}, set()
    for number, (mathml, tex) in enumerate(zip(converted, texs)):
        for label in re.findall(r' id="([^"]*)"', mathml):
            if label in labels:
                failures[number] = Failure(tex, f"The label {label} stands above")
            labels.add(label)
        for label in re.findall(r'<a href="#([^"]*)">\(\?\?\)', mathml):
            failures[number] = Failure(tex, f"Nothing has the label {label}")
    return failures


ERROR_BOX = '<code class="formula-error">'


def error_box(tex: str) -> str:
    """What stands in a page that is served while its formula is broken."""
    return f"{ERROR_BOX}{escape(tex)}</code>"


def _failure(tex: str, error: LatexError) -> Failure:
    # "input0:7: Reason."; in a macro no position.
    place, _, reason = str(error).partition(": ")
    position = re.fullmatch(r"input\d+:(\d+)", place)
    start = int(position[1]) if position else 0
    return Failure(tex, reason.rstrip("."), start if start < len(tex) else 0)


def _with_roles(mathml: str) -> str:
    for plain, marked in _FACTORS.items():
        mathml = mathml.replace(plain, marked)
    return mathml


def _annotated(mathml: str, tex: str) -> str:
    opening, end, inner = mathml.removesuffix("</math>").partition(">")
    return (
        f"{opening}{end}<semantics><mrow>{inner}</mrow><annotation"
        f' encoding="application/x-tex" data-search-exclude>'
        f"{escape(tex)}</annotation></semantics></math>"
    )
