"""Conversion of LaTeX to MathML.

The three factors of the chain rule are marked by a class, for the stylesheet, and by an
intent, for which a screen reader says "upstream" before the factor.
"""

import re
from html import escape

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


class FormulaError(Exception):
    """A formula that does not convert.

    Args:
        tex: its LaTeX.
        reason: of the converter.
        position: the offset in ``tex`` at which the converter stopped, or 0 if it read
            to the end, which is not the place of the mistake.
    """

    def __init__(self, tex: str, reason: str, position: int) -> None:
        self.line = tex.split("\n")[tex.count("\n", 0, position)].strip()
        """The line of ``tex`` that contains the position."""
        super().__init__(f"formula does not convert: {reason} in: {self.line}")


_CONVERTER = LatexToMathML(macros=MACROS, fancy_error=False)
_UNPADDED = 'style="padding-left:0;padding-right:0;"'


def _style_of(color: str) -> str:
    colored = _CONVERTER.convert_with_local_state(
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


def convert(tex: str, display: bool) -> str:
    """Return the MathML of a formula.

    Args:
        tex: LaTeX without its dollars.
        display: whether it is displayed. Then it has its LaTeX as an annotation, for
            copying and for checks.

    Raises:
        FormulaError: the formula does not convert.
    """
    try:
        mathml = _CONVERTER.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        # The message is "7: Reason."; in a macro it has no position.
        position, _, reason = str(error).rpartition(": ")
        start = int(position) if position.isdecimal() else 0
        start = start if start < len(tex) else 0
        raise FormulaError(tex, reason.rstrip("."), start) from None
    for plain, marked in _FACTORS.items():
        mathml = mathml.replace(plain, marked)
    if not display:
        return mathml
    opening, end, inner = mathml.removesuffix("</math>").partition(">")
    return (
        f"{opening}{end}<semantics><mrow>{inner}</mrow><annotation"
        f' encoding="application/x-tex" data-search-exclude>'
        f"{escape(tex)}</annotation></semantics></math>"
    )
