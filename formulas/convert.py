"""LaTeX to MathML, with the three factors of the chain rule marked."""

import re
from html import escape

from math_core import LatexError, LatexToMathML

# math-core marks by an inline color only, so each role borrows one; the color
# that a reader sees is the stylesheet's.
_ROLES = {"upstream": "red", "local": "blue", "downstream": "green"}
_MACROS = {
    **{role: rf"\textcolor{{{color}}}{{#1}}" for role, color in _ROLES.items()},
    "d": r"\mathrm{d}",
    "T": r"{\mathsf{T}}",
    "R": r"\mathbb{R}",
}


class FormulaError(Exception):
    """Formulas that do not convert: (LaTeX, reason) for each."""

    def __init__(self, failures: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{why} in: {tex}" for tex, why in failures))
        self.failures = failures


def _converter() -> LatexToMathML:
    return LatexToMathML(macros=_MACROS, fancy_error=False)


def _style_of(color: str) -> str:
    colored = _converter().convert_with_local_state(
        rf"\textcolor{{{color}}}{{x}}", displaystyle=False)
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
            failures.append((tex, _reason(error)))
    # A reference to another formula is an error on its own, not in the batch.
    try:
        converted = _converter().convert_all(formulas)
    except LatexError as error:
        raise FormulaError(failures or [("the page", _reason(error))]) from None
    return [_annotated(_with_roles(mathml), tex) if display else
            _with_roles(mathml) for mathml, (tex, display)
            in zip(converted, formulas)]


def error_box(tex: str) -> str:
    """What stands in a page that is served while its formula is broken."""
    return f'<code class="formula-error">{escape(tex)}</code>'


def _reason(error: LatexError) -> str:
    position, _, reason = str(error).partition(": ")
    return f"{reason.rstrip('.')} at character {position}"


def _with_roles(mathml: str) -> str:
    for style, role in _CLASSES.items():
        mathml = mathml.replace(style, role)
    return mathml


def _annotated(mathml: str, tex: str) -> str:
    opening, inner = re.fullmatch(
        r"(<math[^>]*>)(.*)</math>", mathml, re.DOTALL).groups()
    return (f'{opening}<semantics><mrow>{inner}</mrow><annotation'
            f' encoding="application/x-tex" data-search-exclude>'
            f"{escape(tex)}</annotation></semantics></math>")
