"""Live programs: what a program prints with other inputs.

Beside a program, ``NAME.live`` has one line for each input and, below an empty line,
what the program prints at every combination of the inputs' stops:

    x = -1.0 to 1.0 by 0.5
    w[1] = 3.0, 4.0

``x`` is the constant in the first assignment to ``x``, outside any function if there is
one, or in what a loop over ``x`` goes through; ``w[1]`` is the second constant there.
A writer writes these lines, and ``tracebook update`` the rest. Readers move a slider
and see what was recorded: the page shows nothing that TensorFlow did not print.

A program that draws is run at every stop by each build, which publishes its figures.
What it asserts of them at a stop is recorded as well, and says there what they show.
"""

import ast
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from textwrap import indent

from . import compare, files
from .snippet import Snippet

SUFFIX = ".live"
MOST = 400
"""Combinations of one program."""
HEADING = "=== "
"""Before the line of each combination; no trace has a line that begins so."""
SHOWS = "--- "
"""Before each message of an assertion of what was drawn; no trace has such a line."""
_SHOWN = re.compile(rf"^{SHOWS}(.*)\n", re.MULTILINE)
_INPUT = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\[\d+\])?) = (?P<stops>\S.*)")
_RANGE = re.compile(r"(?P<first>\S+) to (?P<last>\S+) by (?P<step>\S+)")
_AGAIN = "again"
_PROGRAM = "program "
_DIGITS = 12


class LiveError(Exception):
    """What is wrong with such a file; its first argument is the line."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(line, text)
        self.line, self.text = line, text


@dataclass(frozen=True)
class Input:
    """One constant of a program that readers may change."""

    name: str
    stops: tuple[str, ...]
    """As they are written in the program, in order."""
    now: int
    """Which of them is in the program."""
    line: int
    start: int
    """The constant's line in the text, from 1, and its columns, from 0."""
    end: int


@dataclass(frozen=True)
class Live:
    """A program with inputs, and what it printed at their stops."""

    path: Path
    snippet: Snippet
    inputs: tuple[Input, ...]
    declared: str
    """The lines of the inputs, as their writer wrote them."""
    program: str
    """The digest of the program that was run, and of the inputs; empty if none was."""
    printed: Mapping[str, str] = field(default_factory=dict)
    """By the heading of the combination."""
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the heading, too, what a program that draws asserts there of its figures."""

    @property
    def draws(self) -> bool:
        own = rf"\b{re.escape(self.snippet.path.stem)}(-[\w-]+)?\.svg\b"
        return bool(re.search(own, self.snippet.text))

    @property
    def digest(self) -> str:
        both = f"{self.snippet.text}\0{self.declared}"
        return sha256(both.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]

    def combinations(self) -> Iterator[tuple[str, ...]]:
        """The last input changes fastest."""
        return itertools.product(*(each.stops for each in self.inputs))

    def heading(self, values: tuple[str, ...]) -> str:
        return "; ".join(f"{i.name} = {v}" for i, v in zip(self.inputs, values))

    @property
    def own(self) -> str:
        """The heading of the combination that is in the program."""
        return self.heading(tuple(each.stops[each.now] for each in self.inputs))

    def text(self, values: tuple[str, ...]) -> str:
        """The program as readers see it, with these constants."""
        lines = self.snippet.text.split("\n")
        places = zip(self.inputs, values)
        for each, value in sorted(places, key=lambda pair: -pair[0].start):
            line = lines[each.line - 1]
            lines[each.line - 1] = line[: each.start] + value + line[each.end :]
        return "\n".join(lines)

    @cached_property
    def running(self) -> Snippet:
        """The program that runs at every stop, one after the other in one process."""
        text = self._telling if self.draws else self.text
        variants = [
            (HEADING + self.heading(values), text(values))
            for values in self.combinations()
        ]
        # Once more as it is: what the others left behind would change this.
        variants.append((HEADING + _AGAIN, self.snippet.text))
        return replace(self.snippet, variants=tuple(variants), raises=None)

    def _telling(self, values: tuple[str, ...]) -> str:
        """The program with these constants, which prints what it has asserted."""
        return ast.unparse(_Telling().visit(ast.parse(self.text(values))))

    def with_printed(self, trace: str) -> "Live":
        """This one, with what a run of ``running`` printed."""
        parts = re.split(rf"^{HEADING}(.*)\n", trace, flags=re.MULTILINE)
        told = dict(zip(parts[1::2], parts[2::2]))
        # Once for each look of a figure.
        shows = {
            at: tuple(dict.fromkeys(_SHOWN.findall(text))) for at, text in told.items()
        }
        printed = {at: _SHOWN.sub("", text) for at, text in told.items()}
        again = printed.pop(_AGAIN, printed.get(self.own, ""))
        if compare.difference(printed.get(self.own, ""), again, self.snippet.rel):
            printed[self.own] = again  # which is refused
        return replace(self, program=self.digest, printed=printed, shows=shows)

    def problem(self) -> str | None:
        """Why the page can't offer this, without a run; or None."""
        if self.program != self.digest:
            return "is of another program or other inputs"
        if [*self.printed] != [self.heading(each) for each in self.combinations()]:
            return "lacks combinations of its inputs, or has others"
        shown = files.text(self.snippet.output_path)
        if found := compare.difference(shown, self.printed[self.own], self.snippet.rel):
            return (
                f"at {self.own}, which is the program as it is, prints something else"
                f" than its trace\n{found[1]}"
            )
        return None

    def drawn(self, run: dict[str, bytes], own: dict[str, bytes]) -> dict[str, bytes]:
        """Of what ``running`` drew, the figures of the stops that aren't in the
        program, each in the folder of its number; ``own`` is what the program draws.

        Raises ValueError if a stop lacks a figure, or if the own one has another.
        """
        numbers = {at: str(n) for n, at in enumerate((*self.printed, _AGAIN))}
        for at, name in itertools.product(numbers, own):
            content = run.get(f"{numbers[at]}/{name}")
            if content is None:
                printed = indent(self.printed.get(at, ""), "    ")
                raise ValueError(f"draws no {name} at {at}\n{printed}")
            if at in (self.own, _AGAIN) and content != own[name]:
                raise ValueError(f"draws another {name} where other stops ran before")
        left = {numbers[self.own], numbers[_AGAIN]}
        return {k: v for k, v in run.items() if k.partition("/")[0] not in left}

    def stream(self) -> str:
        """What is recorded, as ``running`` prints it."""
        return "".join(
            f"{HEADING}{at}\n{text}"
            + "".join(f"{SHOWS}{each}\n" for each in self.shows.get(at, ()))
            for at, text in self.printed.items()
        )

    def write(self) -> None:
        text = f"{self.declared}\n{_PROGRAM}{self.program}\n{self.stream()}"
        files.write(self.path, text.encode())

    def script(self) -> str:
        """What a page loads when the reader opens the inputs."""
        # As the page has it, to the last digit.
        own = {self.own: files.text(self.snippet.output_path)} if self.printed else {}
        said = {
            "inputs": [
                {
                    "name": each.name,
                    "stops": each.stops,
                    "now": each.now,
                    "place": [each.line, each.start, each.end],
                }
                for each in self.inputs
            ],
            "printed": [*{**self.printed, **own}.values()],
            "shows": [self.shows.get(at, ()) for at in self.printed if self.draws],
        }
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        return f"(globalThis.live??={{}})[{json.dumps(self.snippet.name)}]={text}\n"


def published(name: str) -> str:
    """Where the script of a program is, below the published programs."""
    return f"{name.removesuffix('.py')}{SUFFIX}.js"


def path_of(snippet: Snippet) -> Path:
    return snippet.path.with_suffix(SUFFIX)


def count(program: Path) -> int:
    """How many combinations are recorded beside a program."""
    path = program.with_suffix(SUFFIX)
    lines = files.text(path).splitlines() if path.is_file() else []
    return sum(line.startswith(HEADING) for line in lines)


def load(snippet: Snippet) -> Live | None:
    """What is beside a program, or None if it has no such file.

    Raises LiveError for what is not understood.
    """
    path = path_of(snippet)
    return _read(snippet, path, files.text(path)) if path.is_file() else None


@lru_cache(maxsize=1024)
def _read(snippet: Snippet, path: Path, text: str) -> Live:
    """The same one for the same text, for an edit changes few of them."""
    head, _, rest = text.partition("\n\n")
    declared = head.rstrip("\n") + "\n"
    inputs = []
    for number, line in enumerate(declared.splitlines(), 1):
        if not (found := _INPUT.fullmatch(line)):
            raise LiveError(
                number,
                f"{line!r} isn't an input; write NAME = FIRST to LAST by STEP,"
                " or NAME = STOP, STOP, …",
            )
        try:
            inputs.append(_input(snippet.text, found["name"], found["stops"]))
        except ValueError as error:
            raise LiveError(number, str(error)) from error
    its = Live(path, snippet, tuple(inputs), declared, "")
    if len({(each.line, each.start) for each in inputs}) < len(inputs):
        raise LiveError(1, "names one constant twice")
    if (number := sum(1 for _ in its.combinations())) > MOST:
        raise LiveError(1, f"has {number} combinations; at most {MOST}")
    program, _, printed = rest.partition("\n")
    if not program.startswith(_PROGRAM):
        return its
    return replace(its.with_printed(printed), program=program.removeprefix(_PROGRAM))


class _Telling(ast.NodeTransformer):
    """Behind an assertion that looks at something, the print of its words."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        looks = any(isinstance(part, ast.Name) for part in ast.walk(node.test))
        if not node.msg or not looks:
            return [node]
        words = f'" ".join(({ast.unparse(node.msg)}).split())'
        return [node, *ast.parse(f"print({SHOWS!r} + {words})").body]


def _input(text: str, name: str, stops: str) -> Input:
    """Raises ValueError for what the program doesn't have."""
    stem, _, number = name.rstrip("]").partition("[")
    written = _stops(stops)
    switch = isinstance(_value(written[0]), bool)
    constants = _constants(text, stem, (bool,) if switch else (int, float))
    if not constants:
        raise ValueError(f"the program assigns no numeric constant to {stem}")
    if not number and len(constants) > 1:
        raise ValueError(
            f"the first assignment to {stem} has {len(constants)} constants; name one,"
            f" from {stem}[0] to {stem}[{len(constants) - 1}]"
        )
    if int(number or 0) >= len(constants):
        raise ValueError(f"the assignment to {stem} has {len(constants)} constants")
    line, start, end = constants[int(number or 0)]
    own = text.split("\n")[line - 1][start:end]
    for each in written:
        if type(_value(each)) is not type(_value(own)):
            raise ValueError(f"{each} isn't of the type of {own}, which it replaces")
    values = [_value(each) for each in written]
    if values != sorted(set(values)):
        raise ValueError("its stops don't increase")
    if _value(own) not in values:
        raise ValueError(f"{own}, which is in the program, isn't one of its stops")
    return Input(name, tuple(written), values.index(_value(own)), line, start, end)


def _value(text: str) -> float:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = None
    if type(value) not in (int, float, bool):
        raise ValueError(f"{text!r} isn't a number")
    return value


def _stops(text: str) -> list[str]:
    if not (found := _RANGE.fullmatch(text)):
        return [each.strip() for each in text.split(",")]
    try:
        first, last, step = (Decimal(each) for each in found.groups())
        bad = step <= 0 or last < first or (last - first) / step > MOST
        bad = bad or (last - first) % step != 0
    except InvalidOperation:
        raise ValueError(f"{text!r} isn't a range of numbers") from None
    if bad:
        raise ValueError(f"{text!r} has no stops, no last one, or more than {MOST}")
    # As the first one is written: -1.0 to 1.0 by 0.25 has the stop -0.75.
    point = "." in found["first"]
    stops = []
    for k in range(int((last - first) / step) + 1):
        whole = f"{(first + k * step).normalize():f}"
        stops.append(whole if not point or "." in whole else f"{whole}.0")
    return stops


def _constants(
    text: str, name: str, types: tuple[type, ...]
) -> list[tuple[int, int, int]]:
    """Where the constants in the first assignment to a name are: line, columns."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    values: list[tuple[ast.expr, ast.expr]] = []
    # A name's own first assignment may be inside a function, where it is another.
    for node in (*tree.body, *ast.walk(tree)):
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign) and node.value:
            pairs = [(node.target, node.value)]
        else:
            continue
        for target, value in pairs:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                values += zip(target.elts, value.elts)
            else:
                values.append((target, value))
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    values += [(node.target, node.iter) for node in loops]
    own = [
        value
        for target, value in values
        if isinstance(target, ast.Name) and target.id == name
    ]
    lines = text.split("\n")

    def place(node: ast.expr) -> tuple[int, int, int]:
        bytes_of = lines[node.lineno - 1].encode()
        start, end = node.col_offset, node.end_col_offset
        return node.lineno, len(bytes_of[:start].decode()), len(bytes_of[:end].decode())

    return [place(each) for value in own[:1] for each in _numbers(value, types)]


def _numbers(node: ast.AST, types: tuple[type, ...]) -> Iterator[ast.expr]:
    """The constants below a node, in order; a minus belongs to its constant."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(inner, ast.Constant) and isinstance(node, ast.expr):
        if type(inner.value) in types:
            yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _numbers(child, types)
