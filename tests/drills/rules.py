"""Mistakes in rules: the rule check alone must see each.

Each rule of each right program is changed in all the ways below, one at a time.
A change that is not seen counts as equal, and not as missed, only if the changed
rule returns the same numbers as before at fresh points, in all shapes that the
forward pass accepts.
"""

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from truth.rules import check as rules
from truth.rules import sites

from .book import Book, Tally

_TURNED = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh"}
_MATMULS = {"matmul": 2, "matvec": 1}
"""Functions, and how many of their arguments are matrices."""


@dataclass(frozen=True)
class Change:
    """Parts of a program written otherwise."""

    kind: str
    edits: list[tuple[ast.AST, str]]


def run(book: Book, tally: Tally, site: Path) -> None:
    folder = book.root / "snippets"
    kinds: dict[str, list[tuple[rules.Program, rules.Program]]] = {}
    for program in (rules.load(path, folder) for path in sorted(folder.rglob("*.py"))):
        if program.wrong:
            continue
        _finds_rules(program, tally)
        for kind, source in mutants(program.source):
            kinds.setdefault(kind, []).append(
                (program, replace(program, source=source))
            )
    chosen = [
        (kind, *each)
        for kind, of_kind in kinds.items()
        for each in tally.some(of_kind, 8)
    ]
    said = rules.judge([mutant for _, _, mutant in chosen], book.root)
    missed = []
    for (kind, program, mutant), verdicts in zip(chosen, said):
        # One that ends its program is seen by that.
        if any(each.state == "failed" for each in verdicts):
            tally.count(kind, "", True)
        else:
            missed.append((kind, program, mutant))
    told = iter(
        rules.judge(
            [replace(each, numbers=True) for _, *both in missed for each in both],
            book.root,
        )
    )
    for (kind, program, mutant), before, after in zip(missed, told, told):
        if same(before, after):
            tally.kind(kind).equal += 1
        else:
            tally.count(
                kind,
                f"{book.shown(mutant.path)}\n" + diff(program.source, mutant.source),
                False,
            )


def _finds_rules(program: rules.Program, tally: Tally) -> None:
    """The drills change every rule that is written."""
    tree = ast.parse(program.source)
    for site in sites.find(program.source):
        if site.maker in ("custom_gradient", "RegisterGradient"):
            tally.count(
                "a rule: found, to be changed",
                f"{program.path.name}:{site.line}",
                bool(_rules(tree, {site.line})),
            )


def same(before: list[rules.Verdict], after: list[rules.Verdict]) -> bool:
    """Whether the rules of a program return the same numbers as before."""

    def agree(old: tuple, new: tuple) -> bool:
        return len(old) == len(new) and all(
            a == b
            if isinstance(a, str) or isinstance(b, str)
            else np.isclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)
            for a, b in zip(old, new)
        )

    return all(agree(a.numbers, b.numbers) for a, b in zip(before, after))


def diff(old: str, new: str) -> str:
    return "\n".join(
        difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    )


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Kind of change and changed program, for every change of every rule."""
    tree = ast.parse(source)
    rules_of_program = _rules(tree, {site.line for site in sites.find(source)})
    for function in (*rules_of_program, *_helpers(tree, rules_of_program)):
        for change in _changes(function, is_rule=function in rules_of_program):
            yield f"a rule: {change.kind}", _changed(source, change.edits)


def _rules(tree: ast.Module, lines: set[int]) -> list[ast.AST]:
    """The functions that return gradients, of the rules made in these lines."""
    nodes = list(ast.walk(tree))
    passed = [
        each
        for node in nodes
        if isinstance(node, ast.Call) and node.lineno in lines
        for each in node.args
    ]
    names = {each.id for each in passed if isinstance(each, ast.Name)}
    makers = [each for each in passed if isinstance(each, ast.Lambda)]
    makers += [
        node
        for node in nodes
        if isinstance(node, ast.FunctionDef)
        and (
            node.name in names
            or any(each.lineno in lines for each in node.decorator_list)
        )
    ]
    return list(dict.fromkeys(rule for maker in makers for rule in _rules_in(maker)))


def _rules_in(node: ast.AST) -> Iterator[ast.AST]:
    if _is_registered(node):
        yield node
    inner = {
        each.name: each
        for each in ast.walk(node)
        if isinstance(each, ast.FunctionDef) and each is not node
    }
    for each in ast.walk(node):
        value = (
            getattr(each, "value", None)
            if isinstance(each, ast.Return)
            else (each.body if isinstance(each, ast.Lambda) else None)
        )
        if isinstance(value, ast.Tuple):
            last = value.elts[-1]
            if isinstance(last, ast.Lambda):
                yield last
            elif isinstance(last, ast.Name) and last.id in inner:
                yield inner[last.id]


def _helpers(tree: ast.Module, of_rules: list[ast.AST]) -> list[ast.AST]:
    """Plain functions of the program that its rules call."""
    plain = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }
    found: list[ast.AST] = []
    for function in (callers := list(of_rules)):  # grows while it is read
        new = [
            plain[node.func.id]
            for node in ast.walk(function)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in plain
        ]
        new = [each for each in dict.fromkeys(new) if each not in found]
        found += new
        callers += new
    return found


def _changes(function: ast.AST, is_rule: bool) -> Iterator[Change]:
    body = function.body if isinstance(function.body, list) else [function.body]
    nodes = [node for part in body for node in _computed(part)]
    if is_rule:
        for name in _upstreams(function):
            yield Change(
                "upstream dropped",
                [
                    (node, f"tf.ones_like({name})")
                    for node in nodes
                    if isinstance(node, ast.Name) and node.id == name
                ],
            )
    for values in _returned(function, nodes):
        for value in values:
            yield Change(
                "the sign of a gradient flipped",
                [(value, f"(-({ast.unparse(value)}))")],
            )
        for first, second in zip(values, values[1:]):
            yield Change(
                "two gradients swapped",
                [(first, ast.unparse(second)), (second, ast.unparse(first))],
            )
    for node in nodes:
        yield from _others(node)


def _upstreams(function: ast.AST) -> list[str]:
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return [name for name in names[_is_registered(function) :] if name != "variables"]


def _is_registered(function: ast.AST) -> bool:
    """Whether it is the rule itself, and its first parameter the operation."""
    return any(
        "RegisterGradient" in ast.unparse(each)
        for each in getattr(function, "decorator_list", ())
    )


def _computed(node: ast.AST) -> Iterator[ast.AST]:
    """All that is not only printed."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "tf.print"):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _computed(child)


def _returned(function: ast.AST, nodes: list[ast.AST]) -> Iterator[list[ast.AST]]:
    """Expressions that are returned as gradients, those of one tuple together."""
    values = [node.value for node in nodes if isinstance(node, ast.Return)]
    if isinstance(function, ast.Lambda):
        values = [function.body]
    for value in values:
        yield from _together(value)


def _together(value: ast.AST) -> Iterator[list[ast.AST]]:
    parts = (
        value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [value])
    )
    nested = [
        each for each in parts if isinstance(each, (ast.Dict, ast.List, ast.Tuple))
    ]
    yield [
        each
        for each in parts
        if each not in nested and getattr(each, "value", ...) is not None
    ]
    for each in nested:
        yield from _together(each)


def _others(node: ast.AST) -> Iterator[Change]:
    """What else may stand in the place of one expression."""
    match node:
        case ast.Constant(value=float(value)):
            yield Change("a coefficient changed", [(node, repr(2 * value or 1.0))])
        case ast.BinOp(left=left, op=op, right=right):
            for side in (left, right):
                if isinstance(side, ast.Constant) and isinstance(side.value, int):
                    yield Change("a coefficient changed", [(side, str(side.value + 1))])
            if isinstance(op, (ast.Add, ast.Sub)):
                sign = "-" if isinstance(op, ast.Sub) else ""
                for rest in (ast.unparse(left), f"{sign}({ast.unparse(right)})"):
                    yield Change("a term dropped", [(node, f"({rest})")])
            if isinstance(op, ast.MatMult):
                for side in (left, right):
                    yield Change("a factor transposed", [(side, _transposed(side))])
        case ast.Call(func=ast.Attribute(attr=name) as called, args=[first, *_]):
            if name == "reduce_sum":
                yield Change("a sum dropped", [(node, f"({ast.unparse(first)})")])
            if name in _TURNED:
                turned = f"{ast.unparse(called.value)}.{_TURNED[name]}"
                yield Change("a sine for a cosine, or the reverse", [(called, turned)])
            for factor in node.args[: _MATMULS.get(name, 0)]:
                yield Change("a factor transposed", [(factor, _transposed(factor))])


def _transposed(node: ast.AST) -> str:
    return f"tf.linalg.matrix_transpose({ast.unparse(node)})"


def _changed(source: str, edits: list[tuple[ast.AST, str]]) -> str:
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = b"".join(lines)
    for node, new in sorted(
        edits, key=lambda edit: -starts[edit[0].lineno - 1] - edit[0].col_offset
    ):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        text = text[:begin] + new.encode() + text[end:]
    return text.decode()
