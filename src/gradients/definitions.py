"""Find the custom gradients that a program defines, and what its comments declare.

A declaration is a comment directly above a definition, ``# truth: CLAUSE``, or several
clauses with ``;`` between them, or several such lines. CONTRIBUTING.md explains the
clauses. Their expressions may use the inputs by their names, and the variables of the
decorated function.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from .declared import WIDEST, Declared

KINDS = (
    "custom_gradient",
    "recompute_grad",
    "grad_pass_through",
    "RegisterGradient",
    "remat",
)
"""The functions that define a custom gradient, by the last part of their names."""

_COMMENT = re.compile(r"#\W*truth\b", re.IGNORECASE)
_DECLARATION = re.compile(r"# truth: (?P<text>.+)")
_FIXED = re.compile(r"(?P<name>\w+) needs no gradient")
_WITHIN = re.compile(r"within (?P<number>\d+(\.\d+)?(e-?\d+)?)")
_EXPRESSION = re.compile(
    r"(?:the gradient of|(?P<name>upstream|downstream) becomes) (?P<expression>.+)"
)
_FLAGS = {
    "eager only": "eager_only",
    "dense upstream": "dense",
    "first derivative only": "once",
    "the rule is right": "right",
}
_CLAUSES = (
    "'the gradient of …', 'upstream becomes …', 'downstream becomes …', a comparison,"
    " 'NAME = …', 'NAME needs no gradient', 'within NUMBER', 'eager only',"
    " 'dense upstream', 'first derivative only', 'the rule is right'"
)


@dataclass(frozen=True)
class Definition:
    """A place in a program that defines a custom gradient."""

    line: int
    last_line: int
    kind: str
    """The function that defines it: one of ``KINDS``."""
    name: str
    """The function that gets the custom gradient."""
    first_line: int
    """The first line of the statement. Declarations end above it."""

    @property
    def text(self) -> str:
        """The definition in words, such as ``custom_gradient square``."""
        return f"{self.kind} {self.name}"


def find_definitions(source: str) -> list[Definition]:
    """Return the definitions in a program, in the order of their lines.

    Raises:
        SyntaxError: the program isn't Python.
    """
    definitions = _definitions(ast.parse(source), 1)
    return sorted(definitions, key=lambda definition: definition.line)


def _definitions(node: ast.AST, first_line: int) -> Iterator[Definition]:
    """Yield the definitions below a node of a statement that begins at a line."""
    for child in ast.iter_child_nodes(node):
        decorators = getattr(child, "decorator_list", [])
        if isinstance(child, ast.stmt):
            first_line = min(part.lineno for part in (child, *decorators))
        name = getattr(child, "name", "")
        calls = [(part, getattr(part, "func", part), name) for part in decorators]
        is_decorator = child in getattr(node, "decorator_list", ())
        if isinstance(child, ast.Call) and not is_decorator:
            arguments = " ".join(ast.unparse(child).partition("(")[2].split())
            calls.append((child, child.func, arguments.removesuffix(")")))
        for part, function, name in calls:
            if kind := _kind(function):
                last_line = part.end_lineno or part.lineno
                yield Definition(part.lineno, last_line, kind, name, first_line)
        yield from _definitions(child, first_line)


def _kind(function: ast.AST) -> str | None:
    name = getattr(function, "attr", getattr(function, "id", None))
    if name == "remat" and isinstance(function, ast.Name):
        return None  # too short a name to be Keras's alone
    return name if name in KINDS else None


def read_declarations(
    source: str, definitions: list[Definition]
) -> tuple[dict[Definition, Declared], list[tuple[int, str]]]:
    """Return what the comments of a program declare of each definition, and the line
    and message of each comment that isn't understood."""
    lines = source.splitlines()
    below: dict[int, list[Definition]] = {}
    """For each line of comments right above definitions, these definitions."""
    for definition in definitions:
        line = definition.first_line - 1
        while line and lines[line - 1].lstrip().startswith("#"):
            below.setdefault(line, []).append(definition)
            line -= 1
    declared = {definition: Declared() for definition in definitions}
    problems = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or not _COMMENT.match(token.string):
            continue
        line = token.start[0]
        match = _DECLARATION.fullmatch(token.string.rstrip())
        if not match:
            problems.append((line, "write '# truth: …'"))
        elif line not in below:
            problems.append((line, "no rule is right below this declaration"))
        for clause in match["text"].split(";") if match else ():
            for definition in below.get(line, ()):
                if problem := _read(clause.strip(), declared[definition]):
                    problems.append((line, problem))
    return declared, problems


def _read(clause: str, declared: Declared) -> str | None:
    """Add a clause to a declaration; return a message if it isn't understood."""
    declared.clauses.append(clause)
    if clause in _FLAGS:
        setattr(declared, _FLAGS[clause], True)
    elif match := _FIXED.fullmatch(clause):
        declared.fixed.append(match["name"])
    elif match := _WITHIN.fullmatch(clause):
        declared.within = float(match["number"])
        if declared.within > WIDEST:
            return f"{clause!r} is too wide to prove anything"
    elif match := _EXPRESSION.fullmatch(clause):
        if match["name"]:
            declared.becomes[match["name"]] = match["expression"]
        else:
            declared.surrogate = match["expression"]
        try:
            ast.parse(match["expression"], mode="eval")
        except SyntaxError:
            return f"{match['expression']!r} is not an expression"
    else:
        return _read_domain(clause, declared)
    return None


def _read_domain(clause: str, declared: Declared) -> str | None:
    """Add a clause on the inputs; return a message if it isn't understood."""
    try:
        [statement] = ast.parse(clause).body
    except (SyntaxError, ValueError):
        statement = None
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            declared.generators[name] = ast.unparse(value)
        case ast.Expr(value=ast.Compare(ops=[ast.Is() | ast.IsNot(), *_])):
            return f"{clause!r} compares objects, not values"
        case ast.Expr(value=ast.Compare(left=first, ops=operators, comparators=rest)):
            # A chain is split, because Python joins its parts with 'and', which has
            # no meaning between tensors.
            for left, operator, right in zip((first, *rest), operators, rest):
                part = ast.Compare(left, [operator], [right])
                declared.conditions.append(ast.unparse(part))
        case _:
            return f"{clause!r} is not understood; known: {_CLAUSES}"
    return None
