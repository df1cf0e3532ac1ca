"""Where a program makes rules, and what its comments declare about them.

A declaration is a comment directly above the rule, ``# truth: CLAUSE``, or
several clauses with ``;`` between them, or several such lines:

=============================  ================================================
the gradient of EXPR           the rule is meant to be the gradient of this: of
                               a function, or of an expression in the inputs
upstream becomes EXPR          the rule first changes ``upstream`` like this
downstream becomes EXPR        the rule at last changes ``downstream`` like this
a comparison, as in x > 0      only such inputs are promised; ``0 < x < 1`` and
                               ``x.shape == y.shape`` are comparisons, too
NAME = EXPR                    makes an input valid that was drawn at random
NAME needs no gradient         the input is kept as the program has it, and its
                               gradient is None or zero, whatever the slope
within NUMBER                  relative tolerance, for a function that is itself
                               computed no better
eager only                     the rule cannot run inside ``tf.function``
dense upstream                 the rule takes ``tf.IndexedSlices`` for what it
                               is not
first derivative only          a tape over the rule is wrong
the rule is right              in a folder wrong: the mistake is elsewhere
=============================  ================================================

EXPR may use the inputs by their names, and what the decorated function sees.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from vjpcheck.declared import WIDEST, Declared

MAKERS = (
    "custom_gradient",
    "recompute_grad",
    "grad_pass_through",
    "RegisterGradient",
    "remat",
)
"""What makes a rule, by the last part of its name."""

_COMMENT = re.compile(r"#\W*truth\b", re.IGNORECASE)
_DECLARATION = re.compile(r"# truth: (?P<text>.+)")
_OF = re.compile(r"the gradient of (?P<expression>.+)")
_FIXED = re.compile(r"(?P<name>\w+) needs no gradient")
_WITHIN = re.compile(r"within (?P<number>\d+(\.\d+)?(e-?\d+)?)")
_BECOMES = re.compile(r"(?P<name>upstream|downstream) becomes (?P<expression>.+)")


@dataclass(frozen=True)
class Site:
    """One place in a program that makes a rule."""

    line: int
    last_line: int
    maker: str
    name: str
    """The function that gets the rule."""
    top: int
    """First line of the statement; declarations end above it."""

    @property
    def what(self) -> str:
        return f"{self.maker} {self.name}"


def find(source: str) -> list[Site]:
    """Every place of a program that makes a rule, in the order of lines."""
    return sorted(_sites(ast.parse(source), 1), key=lambda site: site.line)


def _sites(node: ast.AST, top: int) -> Iterator[Site]:
    for child in ast.iter_child_nodes(node):
        decorators = getattr(child, "decorator_list", [])
        if isinstance(child, ast.stmt):
            top = min(each.lineno for each in (child, *decorators))
        made = [
            (each, getattr(each, "func", each), getattr(child, "name", ""))
            for each in decorators
        ]
        if isinstance(child, ast.Call) and child not in getattr(
            node, "decorator_list", ()
        ):
            name = " ".join(ast.unparse(child).partition("(")[2].split())
            made.append((child, child.func, name.removesuffix(")")))
        for each, called, name in made:
            if maker := _maker(called):
                yield Site(
                    each.lineno, each.end_lineno or each.lineno, maker, name, top
                )
        yield from _sites(child, top)


def _maker(called: ast.AST) -> str | None:
    name = getattr(called, "attr", getattr(called, "id", None))
    if name == "remat" and isinstance(called, ast.Name):
        return None  # too short a name to be Keras's alone
    return name if name in MAKERS else None


def declared(
    source: str,
    sites: list[Site],
) -> tuple[dict[Site, Declared], list[tuple[int, str]]]:
    """What is declared of each site, and the lines that are not understood."""
    lines = source.splitlines()
    above: dict[int, list[Site]] = {}
    for site in sites:
        line = site.top - 1
        while line and lines[line - 1].lstrip().startswith("#"):
            above.setdefault(line, []).append(site)
            line -= 1
    of = {site: Declared() for site in sites}
    problems = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or not _COMMENT.match(token.string):
            continue
        line = token.start[0]
        found = _DECLARATION.fullmatch(token.string.rstrip())
        if not found:
            problems.append((line, "write '# truth: …'"))
        elif line not in above:
            problems.append((line, "no rule is right below this declaration"))
        for clause in found["text"].split(";") if found else ():
            for site in above.get(line, ()):
                if problem := _read(clause.strip(), of[site]):
                    problems.append((line, problem))
    return of, problems


def _read(clause: str, into: Declared) -> str | None:
    """Add a clause; why it is not understood, if so."""
    into.clauses.append(clause)
    if clause == "eager only":
        into.eager_only = True
    elif clause == "dense upstream":
        into.dense = True
    elif clause == "first derivative only":
        into.once = True
    elif clause == "the rule is right":
        into.right = True
    elif found := _FIXED.fullmatch(clause):
        into.fixed.append(found["name"])
    elif found := _WITHIN.fullmatch(clause):
        into.within = float(found["number"])
        if into.within > WIDEST:
            return f"{clause!r} is too wide to prove anything"
    elif found := _OF.fullmatch(clause):
        into.surrogate = found["expression"]
        return _no_expression(into.surrogate)
    elif found := _BECOMES.fullmatch(clause):
        into.becomes[found["name"]] = found["expression"]
        return _no_expression(found["expression"])
    else:
        return _read_domain(clause, into)
    return None


def _no_expression(text: str) -> str | None:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return f"{text!r} is not an expression"
    return None


def _read_domain(clause: str, into: Declared) -> str | None:
    try:
        [statement] = ast.parse(clause).body
    except (SyntaxError, ValueError):
        statement = None
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            into.generators[name] = ast.unparse(value)
        case ast.Expr(value=ast.Compare(ops=[ast.Is() | ast.IsNot(), *_])):
            return f"{clause!r} compares objects, not values"
        case ast.Expr(value=ast.Compare(left=first, ops=ops, comparators=others)):
            # Each by itself, for 'and' has no meaning between tensors.
            for left, op, right in zip((first, *others), ops, others):
                into.conditions.append(ast.unparse(ast.Compare(left, [op], [right])))
        case _:
            return (
                f"{clause!r} is not understood; known: 'the gradient of …',"
                " 'upstream becomes …', 'downstream becomes …', a comparison,"
                " 'NAME = …', 'NAME needs no gradient', 'within NUMBER',"
                " 'eager only', 'dense upstream', 'first derivative only',"
                " 'the rule is right'"
            )
    return None
