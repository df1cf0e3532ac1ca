"""Conversion of LaTeX to MathML.

The three factors of the chain rule are marked by a class, for the stylesheet, and by an
intent, for which a screen reader says "upstream" before the factor.
"""

import re
from html import escape
from typing import NamedTuple

from math_core import LatexError, LatexToMathML

# math-core keeps no mark but an inline color, so each role borrows one; readers see
# the stylesheet's color. \mathord keeps the space of a letter.
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
"""The site's macros, and what they stand for."""
_COMMAND = re.compile(
    rf"\\(?:(?P<name>{'|'.join(MACROS)})(?![A-Za-z])\s*|[A-Za-z]+|[^A-Za-z])"
)


def expand_macros(tex: str, colors: dict[str, str] | None = None) -> str:
    """Return LaTeX on one line, without comments and the site's macros.

    Args:
        tex: LaTeX without its dollars.
        colors: of the roles. Without colors, the macros of the roles are kept.
    """
    text, parts, end = re.sub(r"(?<!\\)%[^\n]*", "", tex), [], 0
    while command := _COMMAND.search(text, end):
        parts.append(text[end : command.start()])
        name, end = command["name"], command.end()
        if name in _ROLES:
            argument, end = _argument(text, end)
            inner = expand_macros(argument, colors)
            role = rf"\textcolor{{{colors[name]}}}" if colors else rf"\{name}"
            factor = f"{role}{{{inner}}}"
            parts.append(f"{{{factor}}}" if colors else factor)
        else:
            parts.append(f"{MACROS[name]} " if name else command[0])
    return " ".join("".join([*parts, text[end:]]).split())


def _argument(text: str, start: int) -> tuple[str, int]:
    """Return the argument of a macro, which begins at an offset, and its end."""
    if text[start : start + 1] != "{":
        return text[start : start + 1], start + 1
    depth = 0
    for brace in re.finditer(r"\\.|[{}]", text[start:], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start + 1 : start + brace.start()], start + brace.end()
    raise ValueError(f"a brace without its partner: {text}")


class ConversionFailure(NamedTuple):
    """The reason why a formula does not convert."""

    tex: str
    reason: str
    position: int = 0
    """The offset in ``tex`` at which the converter stopped, or 0 if it read to the end,
    which is not the place of the mistake."""

    @property
    def line(self) -> int:
        """The line of ``tex``, from 0, that contains the position."""
        return self.tex.count("\n", 0, self.position)

    def __str__(self) -> str:
        line = self.tex.split("\n")[self.line].strip()
        return f"formula does not convert: {self.reason} in: {line}"


class FormulaError(Exception):
    """Formulas of one page that do not convert.

    Args:
        failures: by the number of the formula.
    """

    def __init__(self, failures: dict[int, ConversionFailure]) -> None:
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
"""The beginnings of factors as math-core writes them, and with their marks. The element
of ``\\mathord`` is the part that the intent names."""


def convert_all(formulas: list[tuple[str, bool]]) -> list[str]:
    """Return the MathML of the formulas of one page.

    Args:
        formulas: pairs of LaTeX and whether it is displayed. A displayed formula has
            its LaTeX as an annotation, for copying and for checks. Formulas may refer
            to the labels of others.

    Raises:
        FormulaError: some formulas do not convert.
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


def _bad_references(
    converted: list[str], texs: list[str]
) -> dict[int, ConversionFailure]:
    """Return failures that the converter ignores: labels that are defined twice, and
    missing ones, for which it writes ``??``."""
    failures, labels = {}, set()
    for number, (mathml, tex) in enumerate(zip(converted, texs)):
        for label in re.findall(r' id="([^"]*)"', mathml):
            if label in labels:
                failures[number] = ConversionFailure(
                    tex, f"The label {label} stands above"
                )
            labels.add(label)
        for label in re.findall(r'<a href="#([^"]*)">\(\?\?\)', mathml):
            failures[number] = ConversionFailure(tex, f"Nothing has the label {label}")
    return failures


ERROR_BOX = '<code class="formula-error">'


def error_box(tex: str) -> str:
    """Return the HTML in place of a formula that does not convert, while serving."""
    return f"{ERROR_BOX}{escape(tex)}</code>"


def _failure(tex: str, error: LatexError) -> ConversionFailure:
    # The message is "input0:7: Reason."; in a macro it has no position.
    place, _, reason = str(error).partition(": ")
    position = re.fullmatch(r"input\d+:(\d+)", place)
    start = int(position[1]) if position else 0
    return ConversionFailure(tex, reason.rstrip("."), start if start < len(tex) else 0)


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
