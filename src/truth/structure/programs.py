"""Check that programs compute what they print.

A number is typed where a result belongs if it stands in a text and nowhere in the
code, or if it stands in a text after a sign of equality. The check reads a program,
because to run it again with other inputs would take too long.
"""

import ast
import re
from collections.abc import Iterator

from ..finding import Finding
from ..page import Page

_NUMBER = re.compile(
    r"(?<![\w.^])(?<!\*\*)(?<!\*\* )"
    r"\d+(?:\.\d*)?(?:e[-+]?\d+)?(?!\w|\.\d|\.? ?[a-z]\d*\b)"
)
"""A number in a text, but no exponent and no factor."""
_EQUAL = re.compile(r"(?<![<>!])[=:]\s*[-−+]?\Z")
_NOWHERE = "{} stands nowhere in the code: compute what is printed"
_NAME_IT = "print the name or the expression that has this value"


def check(page: Page) -> Iterator[Finding]:
    """Find typed numbers in the programs of a page, and tolerances of their own."""
    for program in page.programs.values():
        if program.rel != page.settings.rel:
            text = f"# tracebook: rel={program.rel:g}"
            detail = f"so far may numbers differ from those of {program.output_label}"
            yield Finding("structure", "given", f"{program.label}:1", text, detail)
        for line, text, detail in typed_numbers(program.source):
            location = f"{program.label}:{line}"
            yield Finding("structure", "failed", location, text, detail)


def typed_numbers(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, text and message for each number that was typed, not computed."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a deliberately wrong program
        return
    nodes = [*ast.walk(tree)]
    silent = {id(part) for node in nodes for part in _silent(node)}
    constants = [node for node in nodes if isinstance(node, ast.Constant)]
    numbers = {float(c.value) for c in constants if isinstance(c.value, int | float)}
    for constant in constants:
        text = constant.value
        if not isinstance(text, str) or id(constant) in silent:
            continue
        for number in _NUMBER.finditer(text):
            if float(number[0]) not in numbers:
                yield constant.lineno, text.strip(), _NOWHERE.format(number[0])
            elif _EQUAL.search(text[: number.start()]):
                yield constant.lineno, text.strip(), _NAME_IT


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """Yield texts that aren't printed: in docstrings, format codes and assertions."""
    if isinstance(node, ast.FormattedValue) and node.format_spec:
        yield from ast.walk(node.format_spec)
    elif isinstance(node, ast.Assert):
        yield from ast.walk(node)
    elif isinstance(node, ast.Expr):
        yield node.value
