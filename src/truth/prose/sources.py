"""What traces and programs say of numbers: values, and their names."""

import ast
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_IN_TRACE = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w|\.\d)"
)
_PAIR = re.compile(
    r"(?:[A-Za-z_]\w* )*?(?P<label>[A-Za-z_][\w.]*)(?:\s*[=:]\s*|\s+)"
    r"(?P<value>\[+[^\[\]]*\]|\([^()]*\)|[-+]?[\d.][\w.+-]*)(?=$|[\s,\]])"
)
_NO_LABELS = {
    "a",
    "after",
    "and",
    "at",
    "but",
    "by",
    "from",
    "in",
    "of",
    "the",
    "to",
    "with",
}
_ROUNDED = 0.1
"""A number of one digit may be rounded by a tenth of itself, and not by half."""


@dataclass(frozen=True)
class Number:
    """A value, and half a unit of the last digit that is shown of it."""

    value: float
    half: float = 0.0
    digits: int = 0
    """Significant digits shown; 0: computed, none is shown."""

    def __str__(self) -> str:
        return f"{self.value:.10g}"

    def __rmul__(self, sign: int) -> "Number":
        return Number(sign * self.value, self.half, self.digits)


Value = Number | tuple[Number, ...]


def read_number(text: str) -> Number:
    text = text.replace("−", "-").replace(",", "")
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    whole = "." not in mantissa and not exponent
    digits = mantissa.lstrip("+-").replace(".", "").lstrip("0")
    half = 0.0 if whole else 0.5 * 10.0**-decimals
    return Number(float(text), half, len(digits) or 1)


def proves(evidence: Value, claimed: Value) -> bool:
    """Whether a value is the one claimed, as far as the claim shows digits."""
    if isinstance(evidence, tuple) or isinstance(claimed, tuple):
        return (
            isinstance(evidence, tuple)
            and isinstance(claimed, tuple)
            and len(evidence) == len(claimed)
            and all(map(proves, evidence, claimed))
        )
    a, b = evidence.value, claimed.value
    if not (math.isfinite(a) and math.isfinite(b)) or sign_of(a) != sign_of(b):
        return False
    if claimed.digits:
        off = min(claimed.half * 1.000001, _ROUNDED * abs(a))
        return abs(a - b) <= off + 1e-12 * abs(b)
    shown = evidence.half if evidence.digits >= 3 else 0.0
    return abs(a - b) <= max(shown, 1e-6 * abs(b))


def sign_of(value: float) -> int:
    return (value > 0) - (value < 0)


Row = dict[str, list[Value]]
"""Names, and the values that stand under them in one place."""


@dataclass
class Source:
    """A trace or a program: its numbers in order, and its named values."""

    trace: bool
    numbers: list[Number] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


def read_trace(text: str) -> Source:
    source = Source(True, [read_number(m[0]) for m in _IN_TRACE.finditer(text)])
    source.rows = [row for line in text.splitlines() if (row := _labeled(line))]
    return source


def _labeled(line: str) -> Row:
    """The ``label = value`` pairs of a line; two spaces stand between pairs."""
    row: Row = {}
    for part in re.split(r"(?:\s{2,}|[,:;]\s+)(?=[A-Za-z])", line.strip()):
        found = _PAIR.match(part)
        if found and found["label"].lower() not in _NO_LABELS:
            value = tuple(read_number(m[0]) for m in _IN_TRACE.finditer(found["value"]))
            if value:
                row.setdefault(found["label"].lower(), []).append(
                    value if found["value"][0] in "[(" else value[0]
                )
    return row


def read_program(text: str) -> Source:
    source = Source(False)
    try:
        tree = ast.parse(text)
    except SyntaxError:  # wrong on purpose
        return source
    nodes = list(ast.walk(tree))
    negative = {
        id(n.operand)
        for n in nodes
        if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub)
    }
    source.numbers = [
        read_number("-" * (id(n) in negative) + repr(n.value))
        for n in nodes
        if isinstance(n, ast.Constant) and type(n.value) in (int, float)
    ]
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                _assigned(target, node.value, source.rows)
        elif isinstance(node, ast.keyword) and node.arg:
            _assigned(ast.Name(node.arg), node.value, source.rows)
    return source


def _assigned(target: ast.expr, value: ast.expr, rows: list[Row]) -> None:
    if isinstance(target, ast.Tuple):
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            for each, its in zip(target.elts, value.elts):
                _assigned(each, its, rows)
    elif isinstance(target, ast.Name):
        if isinstance(value, ast.Call) and value.args:  # tf.constant(…), tf.Variable(…)
            value = value.args[0]
        try:
            literal = ast.literal_eval(value)
        except ValueError:
            return
        items = literal if isinstance(literal, (list, tuple)) else [literal]
        if items and all(type(item) in (int, float) for item in items):
            numbers = tuple(read_number(repr(item)) for item in items)
            rows.append(
                {
                    target.id.lower(): [
                        numbers if isinstance(literal, (list, tuple)) else numbers[0]
                    ]
                }
            )


@cache
def read_source(path: Path) -> Source:
    text = path.read_text("utf-8")
    return read_program(text) if path.suffix == ".py" else read_trace(text)


class Evidence:
    """What proves numbers in one part of a page."""

    def __init__(self, sources: Iterable[Source], displayed: Iterable[Number] = ()):
        sources = list(sources)
        self.rows = [row for s in sources for row in s.rows]
        self.printed = [n for s in sources if s.trace for n in s.numbers]
        self.all = [n for s in sources for n in s.numbers] + list(displayed)

    def named(self, labels: Iterable[str]) -> list[Value]:
        return [
            value
            for row in self.rows
            for label in labels
            for value in row.get(label, ())
        ]
