"""What programs print is computed.

Found by reading, not by running again with another input: that would take as long as
all runs, and most lines of a trace rightly stay when one input changes. A number that
is typed where a result belongs is a number that stands in a text and nowhere in the
code, or behind a sign of equality, or a value that nothing but a print ever sees.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tracebook import snippet

from ..finding import Finding
from ..page import Page

_NUMBER = re.compile(
    r"(?<![\w.^])(?<!\*\*)(?<!\*\* )"
    r"\d+(?:\.\d*)?(?:e[-+]?\d+)?(?!\w|\.\d|\.? ?[a-z]\d*\b)"
)
"""No exponent, and no factor."""
_EQUAL = re.compile(r"(?<![<>!])[=:]\s*[-−+]?\Z")
_WRAPPED = {"tf.constant", "tf.Variable", "np.array", "float", "str", "repr"}


def check(page: Page, root: Path) -> Iterator[Finding]:
    for path in page.included_files(".py"):
        program = snippet.load(path, page.settings)
        if program.rel != page.settings.rel:
            how = f"so far may numbers differ from those of {program.output_label}"
            what = f"# tracebook: rel={program.rel:g}"
            yield _of(page, program.label, 1, "given", what, how)
        for line, what, how in typed(program.source):
            yield _of(page, program.label, line, "failed", what, how)


def _of(
    page: Page, program: str, line: int, state: str, what: str, how: str
) -> Finding:
    return Finding("structure", state, page.label, f"{program}:{line}", what, how)


def typed(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, text and what is wrong of each number that was typed, not computed."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # wrong on purpose
        return
    nodes = list(ast.walk(tree))
    aside = {id(part) for node in nodes for part in _aside(node)}
    numbers = {
        float(node.value)
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    }
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in aside
        ):
            for found in _NUMBER.finditer(node.value):
                before = node.value[: found.start()]
                if float(found[0]) not in numbers:
                    yield node.lineno, node.value.strip(), _NOWHERE.format(found[0])
                elif _EQUAL.search(before):
                    yield node.lineno, node.value.strip(), _NAME_IT
    shown = {id(value): value for node in nodes for value in _shown(node)}
    for value in shown.values():
        if _is_typed(value, nodes, shown):
            yield value.lineno, ast.unparse(value), _UNSEEN


_NOWHERE = "{} stands nowhere in the code: compute what is printed"
_NAME_IT = "print the name or the expression that has this value"
_UNSEEN = "nothing but this print sees the value: compute what is printed"


def _aside(node: ast.AST) -> Iterator[ast.AST]:
    """Texts that are not printed: of documentation, formats, assertions."""
    if isinstance(node, ast.FormattedValue) and node.format_spec:
        yield from ast.walk(node.format_spec)
    elif isinstance(node, ast.Assert):
        yield from ast.walk(node)
    elif isinstance(node, ast.Expr):
        yield node.value


def _shown(node: ast.AST) -> Iterator[ast.expr]:
    """The values that a print or a formatted text shows as they are."""
    match node:
        case ast.FormattedValue(value):
            yield _bare(value)
        case ast.BinOp(ast.Constant(str()), ast.Mod(), value):
            yield from map(_bare, getattr(value, "elts", [value]))
        case ast.Call(ast.Attribute(ast.Constant(str()), "format"), args):
            yield from map(_bare, args)
        case ast.Call(function, args) if ast.unparse(function) in ("print", "tf.print"):
            yield from map(_bare, args)


def _bare(value: ast.expr) -> ast.expr:
    """Without what only turns it into another type."""
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and value.func.attr == "numpy":
            return _bare(value.func.value)
        if value.args and ast.unparse(value.func) in _WRAPPED:
            return _bare(value.args[0])
    return value


def _is_typed(value: ast.expr, nodes: list[ast.AST], shown: dict) -> bool:
    if not isinstance(value, ast.Name):
        return _is_literal(value)
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == value.id]
    bound = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == value.id for t in node.targets)
    ]
    return (
        bool(bound)
        and all(_is_literal(_bare(each)) for each in bound)
        and len(uses) == len(bound) + sum(id(use) in shown for use in uses)
    )


def _is_literal(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp):
        return _is_literal(value.operand)
    if isinstance(value, ast.List | ast.Tuple):
        return bool(value.elts) and all(map(_is_literal, value.elts))
    return isinstance(value, ast.Constant) and type(value.value) in (
        int,
        float,
        complex,
    )
