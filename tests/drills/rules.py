"""Mistakes in rules: ``python -m tests.drills.rules [SEED] [PLANTS]``.

A seed chooses from the text of each right program one change of each kind, without
asking the rule check, which alone must see it. Of a change that it does not see,
``oracle`` decides whether the rule is still right, or VERDICTS where that cannot.
"""

import ast
import difflib
import hashlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradients.client import WRONG
from tracebook import snippet
from tracebook.runner import Run, Runner
from tracebook.settings import Settings, load
from tracebook.snippet import Snippet

from ..gradient_results import results_of
from ..project import ROOT
from .tally import Tally

VERDICTS = {
    "f82dd0a6f009": "all calls have the dtype that is read of the last one",
    "ece3a355631e": "asked a second time it raises; each number that it gives is right",
}
"""By its hash, why a change that the oracle calls wrong leaves the rule right."""
AT_MOST = 300
"""Plants, as many of each kind."""
IMPORT = "import tensorflow as tf"
OF_A_GRADIENT = (
    "the other sign: -{0}",
    "1.0005 times: 1.0005 * {0}",
    "no gradient: None",
    "a narrow dtype: tf.cast(tf.cast({0}, tf.bfloat16), {0}.dtype)",
    "a gradient clipped: tf.clip_by_value({0}, -20.0, 20.0)",
    "an epsilon: {0} + 1e-5",
    "a gradient stopped: tf.stop_gradient({0})",
    "first call wrong: (2.0 if calls_.append(0) or len(calls_) < 2 else 1.0) * {0}",
    "later calls wrong: (2.0 if calls_.append(0) or len(calls_) > 2 else 1.0) * {0}",
)
OF_AN_OPERATOR = {
    "Mult": ("a factor dropped: {0}", "a factor dropped: {1}"),
    "Div": ("a factor dropped: {0}", "a floor: {0} / ({1} + 1e-4)"),
    "MatMult": ("a factor transposed: tf.transpose({0}) @ {1}",),
    "Add": ("a sign: {0} - {1}", "a term dropped: {0}", "a term dropped: {1}"),
    "Sub": ("a sign: {0} + {1}", "a term dropped: {0}"),
}
OF_A_CALL = {
    "where": "the other branch: tf.where({0}, {2}, {1})",
    "reduce_sum": "a sum dropped: {0}",
    "conj": "a conjugate dropped: {0}",
    "matmul": "a factor transposed: tf.matmul(tf.linalg.matrix_transpose({0}), {1})",
    "matvec": "a factor transposed: tf.matvec(tf.linalg.matrix_transpose({0}), {1})",
    "exp": "another function: tf.math.expm1({0})",
    "tanh": "another function: tf.sigmoid({0})",
    "sigmoid": "another function: tf.tanh({0})",
    "sin": "another function: tf.cos({0})",
    "cos": "another function: tf.sin({0})",
    "square": "another function: tf.abs({0})",
    "sqrt": "a floor: tf.sqrt({0} + 1e-4)",
}
Edits = list[tuple[Any, str]]
"""Nodes of a program, and what stands in their place."""


@dataclass(frozen=True)
class Plant(Snippet):
    """A program with a mistake."""

    kind: str = ""
    right: str = ""
    """Its text without."""

    @property
    def diff(self) -> str:
        lines = self.right.splitlines(), self.source.splitlines()
        return "\n".join([*difflib.unified_diff(*lines, n=0, lineterm="")][2:])

    @property
    def hash(self) -> str:
        return hashlib.sha256(f"{self.name}\n{self.diff}".encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return f"{self.kind}: {self.name} {self.hash}\n{self.diff}"


def run(root: Path, tally: Tally) -> None:
    chosen = tally.some(plants(root, tally.seed)[:AT_MOST], 32)
    for plant, verdict, why in judged(chosen, root):
        kind = "a forward pass" if plant.kind.startswith("forward") else "a rule"
        tally.kind(kind, 0.95).equal += verdict == "true"
        if verdict != "true":
            tally.count(kind, f"{plant}\n{why}", verdict == "caught")


def plants(root: Path, seed: int) -> list[Plant]:
    """Of each right program one of each kind; first a round of all kinds."""
    found = []
    places: Counter[str] = Counter()
    rng = random.Random(seed)
    programs = snippet.find(load(root))
    for program in rng.sample(programs, len(programs)):
        if program.path.parent.name == WRONG:
            continue
        of_kind: dict[str, list[str]] = {}
        for kind, edits in filter(all, changes(ast.parse(program.source))):
            of_kind.setdefault(kind, []).append(_changed(program.source, edits))
        for kind, texts in sorted(of_kind.items()):
            its = vars(program) | {"source": rng.choice(texts), "kind": kind}
            found.append((places[kind], kind, Plant(**its, right=program.source)))
            places[kind] += 1
    return [plant for *_, plant in sorted(found, key=lambda each: each[:2])]


def judged(planted: list[Plant], root: Path) -> Iterator[tuple[Plant, str, str]]:
    """Of each plant whether it is ``caught``, ``true`` or ``missed``, and why."""
    sources = {
        f"plant{number}.py": plant.source for number, plant in enumerate(planted)
    }
    with tempfile.TemporaryDirectory() as folder:
        results = [*results_of(Path(folder, "project"), sources).values()]
    unseen = [
        plant
        for plant, of_plant in zip(planted, results)
        if all(result.state != "failed" for result in of_plant)
    ]
    runs: dict[Snippet, Run] = {}
    settings = Settings(root, preload=("tensorflow",), observer="tests.drills.oracle")
    with closing(Runner(settings)) as runner:
        runner.run([*unseen], runs.__setitem__)
    for plant in planted:
        its = runs.get(plant, Run())
        why = VERDICTS.get(plant.hash) or its.observed or its.problem or ""
        right = plant.hash in VERDICTS or why == "right"
        yield (
            plant,
            "caught" if plant not in runs else "true" if right else "missed",
            why,
        )


def changes(tree: ast.Module) -> Iterator[tuple[str, Edits]]:
    """Kind and edits, of all that could be changed."""
    imports = [each for each in tree.body if ast.unparse(each) == IMPORT]
    for forward in ast.walk(tree):
        if not isinstance(forward, ast.FunctionDef):
            continue
        for rule in _rules(forward) if imports else ():
            nodes = list(_computed(rule))
            for each in (each for each in tree.body if each is not forward):
                if any(_reads(node, getattr(each, "name", None)) for node in nodes):
                    nodes = list(dict.fromkeys([*nodes, *_computed(each)]))
            yield from _of_rule(rule, nodes, imports[0])
            yield from _of_last_call(forward, nodes, imports[0])
            for node in nodes:
                yield from _of_node(node)
            for node in _computed(forward, but=rule):
                for kind, edits in _of_node(node):
                    if kind != "a factor stopped":  # which changes no value
                        yield f"forward: {kind}", edits
                match node:
                    case ast.Return(value=ast.Tuple(elts=[value, _])):
                        text = f"1.0005 * ({ast.unparse(value)})"
                        yield "forward: 1.0005 times", [(value, text)]


def _rules(forward: ast.AST) -> Iterator[ast.AST]:
    """What a function returns as a rule, beside its values."""
    inner = {getattr(each, "name", ""): each for each in getattr(forward, "body", ())} \
        if isinstance(forward, ast.FunctionDef) else {}  # fmt: skip
    for each in _computed(forward) if inner else ():
        match each:
            case ast.Return(value=ast.Tuple(elts=[_, ast.Name(id=name)])):
                yield from [inner[name]] if name in inner else []
            case ast.Return(value=ast.Tuple(elts=[_, ast.Lambda() as rule])):
                yield rule


def _of_rule(
    rule: ast.AST, nodes: list[ast.AST], above: ast.AST
) -> Iterator[tuple[str, Edits]]:
    """What upstream comes as, and what is returned."""
    arguments = rule.args.args if isinstance(rule, ast.FunctionDef | ast.Lambda) else ()
    for name in [each.arg for each in arguments if each.arg != "variables"]:
        used = [node for node in nodes if _reads(node, name)]
        yield "upstream dropped", [(node, f"tf.ones_like({name})") for node in used]
        clipped = f"tf.clip_by_value({name}, -20.0, 20.0)"
        yield "upstream clipped", [(node, clipped) for node in used]
    returned = [each.value for each in nodes if isinstance(each, ast.Return)]
    for value in [rule.body] if isinstance(rule, ast.Lambda) else returned:
        parts = getattr(value, "elts", getattr(value, "values", [value]))
        parts = [each for each in parts if ast.unparse(each) != "None"]
        for part in parts:
            for template in OF_A_GRADIENT:
                kind, [edit] = _instead(part, template, part)
                counts = "calls_" in edit[1]
                yield kind, [edit, (above, f"{IMPORT}\ncalls_ = []")][: 1 + counts]
        for one, other in zip(parts, parts[1:]):
            swapped = [(one, ast.unparse(other)), (other, ast.unparse(one))]
            yield "gradients swapped", swapped


def _reads(node: ast.AST, name: str | None) -> bool:
    its = getattr(node, "ctx", None)
    return isinstance(its, ast.Load) and getattr(node, "id", "") == name


def _of_last_call(
    forward: ast.FunctionDef, nodes: list[ast.AST], above: ast.AST
) -> Iterator[tuple[str, Edits]]:
    """The rule uses an input of the last call, instead of its own."""
    first = forward.body[0]
    for name in [each.arg for each in forward.args.args if each.arg != "self"]:
        used = [node for node in nodes if _reads(node, name)]
        apart = not {*used} & {*ast.walk(first)}
        if used and apart and isinstance(first, ast.Assign):
            store = f"last_[{name!r}] = {name}; {ast.unparse(first)}"
            edits = [(node, f"last_[{name!r}]") for node in used]
            edits += [(first, store), (above, f"{IMPORT}\nlast_ = {{}}")]
            yield "the last call's input", edits


def _of_node(node: ast.AST) -> Iterator[tuple[str, Edits]]:
    """What else may stand in the place of one expression."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            for template in OF_AN_OPERATOR.get(type(op).__name__, ()):
                yield _instead(node, template, left, right)
            if isinstance(op, ast.Mult | ast.Div):
                yield _instead(left, "a factor stopped: tf.stop_gradient({0})", left)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield _instead(node, "a sign: {0}", operand)
        case ast.Constant(value=float(value)):
            yield _instead(node, f"a constant changed: {1.002 * value or 1e-3!r}")
        case ast.Compare(ops=[_], comparators=[right]):
            yield _instead(right, "a corner moved: {0} + 0.05", right)
            yield _instead(right, "a corner moved: {0} - 0.01", right)
        case ast.Call(func=ast.Attribute(attr=name), args=parts, keywords=named):
            template = OF_A_CALL.get(name, "")
            if 0 < template.count("{") <= len(parts):
                yield _instead(node, template, *parts)
            for each in named:
                match each:
                    case ast.keyword(arg="axis", value=axis):
                        new = "-1" if ast.unparse(axis) == "0" else "0"
                        yield _instead(axis, f"another axis: {new}")
                    case ast.keyword(value=ast.Constant(value=bool(value))):
                        yield _instead(each.value, f"a switch turned: {not value}")


def _instead(node: ast.AST, template: str, *parts: ast.AST) -> tuple[str, Edits]:
    """The kind, and what stands in the place of one node."""
    kind, text = template.split(": ", 1)
    return kind, [(node, f"({text.format(*[f'({ast.unparse(p)})' for p in parts])})")]


def _computed(node: ast.AST, but: ast.AST | None = None) -> Iterator[ast.AST]:
    """All in the body of a function that is not only printed."""
    body = getattr(node, "body", [])
    waiting = list(body) if isinstance(body, list) else [body]
    while waiting:
        each = waiting.pop(0)
        if each is not but and not ast.unparse(each).startswith(
            ("print(", "tf.print(")
        ):
            yield each
            waiting += ast.iter_child_nodes(each)


def _changed(source: str, edits: Edits) -> str:
    """The text with other parts; the last first, so that places stay."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    text = source.encode()
    for node, new in sorted(edits, key=lambda e: (-e[0].lineno, -e[0].col_offset)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        text = text[:begin] + new.encode() + text[end:]
    return text.decode()


def main(seed: int = 0, few: int = AT_MOST) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for plant, verdict, why in judged(plants(ROOT, seed)[:few], ROOT):
        counts[plant.kind, verdict] += 1
        if verdict != "caught":
            print(f"{verdict}: {plant}\n{why}\n")
    print(
        "| kind | planted | caught | true | missed |\n| --- | --: | --: | --: | --: |"
    )
    for kind in sorted({kind for kind, _ in counts}):
        row = [counts[kind, each] for each in ("caught", "true", "missed")]
        print(f"| {kind} | {sum(row)} | {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
