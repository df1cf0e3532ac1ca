"""Measure the code against CONTRIBUTING's rules, and fail where it exceeds them.

Function words as names, docstrings that open with a clause, long functions and modules,
class names that are defined twice, and the lines of each package.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGETS = {
    "src": 19_540,
    "src/truth": 4_690,
    "src/tracebook": 2_000,
    "tests/claims + tests/harness": 15_100,
    "tests": 34_750,
}
"""Lines of Python, at most."""
FUNCTION_WORDS = frozenset(
    "again all any asked at back both by came drawn each every found gave given"
    " gone got has held his here how its just kept known made makes meant might"
    " named none now one other others own said same seen shall shown so some"
    " stands such that them then there they this those told tried turned was what"
    " when where which who whose wrote".split()
)
MOST_FUNCTION_WORDS = 10
"""For each 1,000 bindings, outside of comprehensions."""
_CLAUSE = re.compile(
    r"(?:What|Whether|Who|Whose|Where|Which|Those|That|Of|Why|When|How|By|As|With|In|If"
    r"|On|For|From|Also)\b"
)
MOST_CLAUSES = 0.03
LONGEST_FUNCTION, LONGEST_MODULE = 40, 500


def main() -> int:
    problems = [*_budgets(), *_sizes(), *_words(), *_classes()]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _files(*folders: str) -> list[Path]:
    return sorted(path for f in folders for path in (ROOT / f).rglob("*.py"))


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _budgets() -> Iterator[str]:
    for name, most in BUDGETS.items():
        lines = sum(map(_lines, _files(*name.split(" + "))))
        print(f"{name}: {lines} lines, at most {most}")
        if lines > most:
            yield f"{name} has {lines} lines, {lines - most} too many"


def _sizes() -> Iterator[str]:
    for path in _files("src"):
        if (lines := _lines(path)) > LONGEST_MODULE:
            yield f"{_shown(path)}: {lines} lines; at most {LONGEST_MODULE}"
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1 - _docstring(node)
                if length > LONGEST_FUNCTION:
                    where = f"{_shown(path)}:{node.lineno}"
                    yield f"{where}: {node.name} has {length} lines without docstring"


def _docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function's docstring."""
    first = node.body[0]
    if ast.get_docstring(node) is None:
        return 0
    return (first.end_lineno or 0) - first.lineno + 1


def _words() -> Iterator[str]:
    bound: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    clauses, docstrings = [], 0
    for path in _files("src"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for name, line in _bindings(node):
                bound[name] += 1
                places.setdefault(name, []).append(f"{_shown(path)}:{line}")
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (
                text := ast.get_docstring(node)
            ):
                docstrings += 1
                if _CLAUSE.match(text):
                    clauses.append(
                        f"{_shown(path)}:{node.lineno}: {text.split('.')[0]}"
                    )
    odd = {name: bound[name] for name in bound.keys() & FUNCTION_WORDS}
    per_thousand = 1000 * sum(odd.values()) / sum(bound.values())
    share = len(clauses) / docstrings
    print(f"function words: {per_thousand:.0f} of 1,000 names; clauses: {share:.1%}")
    if per_thousand > MOST_FUNCTION_WORDS:
        for name in sorted(odd, key=lambda word: -odd[word]):
            yield f"{name}, {odd[name]} times: {', '.join(places[name][:4])} …"
    if share > MOST_CLAUSES:
        yield from clauses


def _bindings(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Return the names that a statement or a parameter list binds."""
    if isinstance(node, ast.comprehension):
        for name in ast.walk(node.target):  # ``each`` in one line is fine
            if isinstance(name, ast.Name):
                name.id = f"comprehension {name.id}"
    elif isinstance(node, ast.arg):
        yield node.arg, node.lineno
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        if not node.id.startswith("comprehension "):
            yield node.id, node.lineno


def _classes() -> Iterator[str]:
    defined: dict[str, list[str]] = {}
    for path in _files("src"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                where = f"{_shown(path)}:{node.lineno}"
                defined.setdefault(node.name, []).append(where)
    for name, places in defined.items():
        if len(places) > 1:
            yield f"class {name} is defined {len(places)} times: {', '.join(places)}"


if __name__ == "__main__":
    sys.exit(main())
