"""Check that programs compute what they print.

A number is typed where a result belongs if it stands in a text and nowhere in the
code, if it stands in a text after a sign of equality, or if only a print reads it. The
check reads a program, because to run it again with other inputs would take too long.
"""

import ast
import re
from collections.abc import Collection, Iterator

from ..finding import Finding
from ..page import Page

_NUMBER = re.compile(
    r"(?<![\w.^])(?<!\*\*)(?<!\*\* )"
    r"\d+(?:\.\d*)?(?:e[-+]?\d+)?(?!\w|\.\d|\.? ?[a-z]\d*\b)"
)
"""A number in a text, but no exponent and no factor."""
_EQUAL = re.compile(r"(?<![<>!])[=:]\s*[-−+]?\Z")
_CONVERSIONS = {"tf.constant", "tf.Variable", "np.array", "float", "str", "repr"}
_NOWHERE = "{} stands nowhere in the code: compute what is printed"
_NAME_IT = "print the name or the expression that has this value"
_UNREAD = "nothing but this print sees the value: compute what is printed"


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
    printed = {id(value): value for node in nodes for value in _printed(node)}
    for value in printed.values():
        if _is_typed(value, nodes, printed.keys()):
            yield value.lineno, ast.unparse(value), _UNREAD


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """Yield texts that aren't printed: in docstrings, format codes and assertions."""
    if isinstance(node, ast.FormattedValue) and node.format_spec:
        yield from ast.walk(node.format_spec)
    elif isinstance(node, ast.Assert):
        yield from ast.walk(node)
    elif isinstance(node, ast.Expr):
        yield node.value


def _printed(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the values that a print or a formatted text shows as they are."""
    values: list[ast.expr] = []
    match node:
        case ast.FormattedValue(value):
            values = [value]
        case ast.BinOp(ast.Constant(str()), ast.Mod(), value):
            values = getattr(value, "elts", [value])
        case ast.Call(ast.Attribute(ast.Constant(str()), "format"), args):
            values = args
        case ast.Call(function, args) if ast.unparse(function) in ("print", "tf.print"):
            values = args
    return map(_unconverted, values)


def _unconverted(value: ast.expr) -> ast.expr:
    """Return a value without the calls that only convert it to another type."""
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and value.func.attr == "numpy":
            return _unconverted(value.func.value)
        if value.args and ast.unparse(value.func) in _CONVERSIONS:
            return _unconverted(value.args[0])
    return value


def _is_typed(value: ast.expr, nodes: list[ast.AST], printed: Collection[int]) -> bool:
    """Return whether a printed value is a literal, or a name that is only printed and
    only bound to literals."""
    if not isinstance(value, ast.Name):
        return _is_literal(value)
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == value.id]
    bound = [
        _unconverted(node.value)
        for node in nodes
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == value.id for t in node.targets)
    ]
    return (
        bool(bound)
        and all(map(_is_literal, bound))
        and len(uses) == len(bound) + sum(id(use) in printed for use in uses)
    )


def _is_literal(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp):
        return _is_literal(value.operand)
    if isinstance(value, ast.List | ast.Tuple):
        return bool(value.elts) and all(map(_is_literal, value.elts))
    number_types = (int, float, complex)
    return isinstance(value, ast.Constant) and type(value.value) in number_types
