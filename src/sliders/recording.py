"""The file ``NAME.live`` beside a program: its parameters, and what was recorded.

It has one line for each parameter and, below an empty line, what the program prints for
every combination of their values:

    x = -1.0 to 1.0 by 0.5
    w[1] = 3.0, 4.0

A writer writes these lines, and ``python -m tracebook update`` the rest. Readers move a
slider and see what was recorded. Of a program that draws, the assertions that hold at a
combination are recorded as well: their messages are the text of the figure.
"""

import ast
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from textwrap import indent

from tracebook import compare, files, snippet
from tracebook.settings import Settings, SettingsError
from tracebook.snippet import Snippet

from .parameters import MOST, Parameter, parameter

SUFFIX = ".live"
_HEADING = "=== "
"""Before the line of each combination; no output has a line that begins so."""
_MESSAGE = "--- "
"""Before each message of an assertion about a figure; no output has such a line."""
_MESSAGES = re.compile(rf"^{_MESSAGE}(.*)\n", re.MULTILINE)
_DECLARATION = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\[\d+\])?) = (?P<values>\S.*)")
_AGAIN = "again"
_PROGRAM = "program "
_DIGITS = 12


class RecordingError(Exception):
    """A line of such a file that isn't understood."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(line, message)
        self.line, self.message = line, message


@dataclass(frozen=True)
class Sliders:
    """The parameters of a program, and what it printed for their values."""

    path: Path
    snippet: Snippet
    parameters: tuple[Parameter, ...]
    declared: str
    """The lines of the parameters, as their writer wrote them."""
    program: str = ""
    """The ``digest`` that the file has, or nothing if no program was run."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """What the program printed, by the heading of the combination."""
    messages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the heading, too, what a program that draws asserts there of its figures."""

    @property
    def draws(self) -> bool:
        """True if the program names a figure of its own."""
        name = rf"\b{re.escape(self.snippet.path.stem)}(-[\w-]+)?\.svg\b"
        return bool(re.search(name, self.snippet.text))

    @property
    def digest(self) -> str:
        """The digest of the program and its parameters as they are now, and of what
        was recorded."""
        text = f"{self.snippet.text}\0{self.declared}\0{self.stream()}"
        return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]

    @property
    def default(self) -> str:
        """The heading of the combination that is in the program."""
        return self.heading(tuple(p.values[p.default] for p in self.parameters))

    def combinations(self) -> Iterator[tuple[str, ...]]:
        """Return all combinations of values; the last parameter changes fastest."""
        return itertools.product(*(p.values for p in self.parameters))

    def heading(self, values: tuple[str, ...]) -> str:
        """Return the heading of a combination."""
        return "; ".join(f"{p.name} = {v}" for p, v in zip(self.parameters, values))

    def text(self, values: tuple[str, ...]) -> str:
        """Return the program, as readers see it, with these values."""
        lines = self.snippet.text.split("\n")
        pairs = ((p.place, value) for p, value in zip(self.parameters, values))
        for place, value in sorted(pairs, key=lambda pair: -pair[0].start):
            line = lines[place.line - 1]
            lines[place.line - 1] = line[: place.start] + value + line[place.end :]
        return "\n".join(lines)

    @cached_property
    def variants(self) -> Snippet:
        """The program that runs with all combinations, one after the other in one
        process."""
        pairs = [
            (_HEADING + self.heading(values), self._variant(values))
            for values in self.combinations()
        ]
        # Once more as it is, because what the others left behind would change this.
        pairs.append((_HEADING + _AGAIN, self.snippet.text))
        return replace(self.snippet, variants=tuple(pairs), raises=None)

    def _variant(self, values: tuple[str, ...]) -> str:
        text = self.text(values)
        return ast.unparse(_Messages().visit(ast.parse(text))) if self.draws else text

    def with_output(self, output: str) -> "Sliders":
        """Return this one with the output of a run of ``variants``."""
        parts = re.split(rf"^{_HEADING}(.*)\n", output, flags=re.MULTILINE)
        texts = dict(zip(parts[1::2], parts[2::2]))
        messages = {  # each once, although a figure may be figures in two colors
            heading: tuple(dict.fromkeys(_MESSAGES.findall(text)))
            for heading, text in texts.items()
        }
        outputs = {heading: _MESSAGES.sub("", text) for heading, text in texts.items()}
        default = outputs.get(self.default, "")
        again = outputs.pop(_AGAIN, default)
        if compare.difference(default, again, self.snippet.rel):
            outputs[self.default] = again  # which ``problem`` refuses
        record = replace(self, outputs=outputs, messages=messages)
        return replace(record, program=record.digest)

    def problem(self) -> str | None:
        """Return why the page can't offer what is recorded, or None."""
        if self.program != self.digest:
            return "is of another program or other parameters, or edited by hand"
        if [*self.outputs] != [self.heading(values) for values in self.combinations()]:
            return "lacks combinations of its parameters, or has others"
        output = self.snippet.output or ""
        recorded = self.outputs[self.default]
        if difference := compare.difference(output, recorded, self.snippet.rel):
            return (
                f"at {self.default}, which is the program as it is, prints something"
                f" else than its output\n{difference[1]}"
            )
        return None

    def figures(
        self, figures: Mapping[str, bytes], originals: Mapping[str, bytes]
    ) -> dict[str, bytes]:
        """Return the figures of all combinations except that of the program.

        Args:
            figures: the figures of a run of ``variants``, each in the folder of its
                number.
            originals: the figures of the program.

        Raises:
            ValueError: a figure is missing at a combination, or the program's own one
                differs.
        """
        numbers = {at: str(n) for n, at in enumerate((*self.outputs, _AGAIN))}
        unchanged = self.default, _AGAIN
        for (heading, number), name in itertools.product(numbers.items(), originals):
            content = figures.get(f"{number}/{name}")
            if content is None:
                printed = indent(self.outputs.get(heading, ""), "    ")
                raise ValueError(f"draws no {name} at {heading}\n{printed}")
            if heading in unchanged and content != originals[name]:
                raise ValueError(
                    f"draws another {name} where other combinations ran before"
                )
        dropped = {numbers[heading] for heading in unchanged}
        return {k: v for k, v in figures.items() if k.partition("/")[0] not in dropped}

    def stream(self) -> str:
        """Return what is recorded, as ``variants`` prints it."""
        return "".join(
            f"{_HEADING}{heading}\n{output}"
            + "".join(f"{_MESSAGE}{m}\n" for m in self.messages.get(heading, ()))
            for heading, output in self.outputs.items()
        )

    def write(self) -> None:
        """Write the file."""
        text = f"{self.declared}\n{_PROGRAM}{self.program}\n{self.stream()}"
        files.write(self.path, text.encode())

    def script(self) -> str:
        """Return the script that a page loads when the reader opens the sliders."""
        outputs = dict(self.outputs)
        if outputs:  # the program's own one as the page has it, to the last digit
            outputs[self.default] = self.snippet.output or ""
        data = {
            "inputs": [
                {
                    "name": p.name,
                    "stops": p.values,
                    "now": p.default,
                    "place": [p.place.line, p.place.start, p.place.end],
                }
                for p in self.parameters
            ],
            "printed": [*outputs.values()],
            "shows": [self.messages.get(at, ()) for at in self.outputs if self.draws],
        }
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return f"(globalThis.live??={{}})[{json.dumps(self.snippet.name)}]={text}\n"


def scripts(settings: Settings) -> Iterator[tuple[str, str]]:
    """Return names below the published programs, and scripts. Files that aren't
    understood, which a check reports, have none."""
    for path in files.below(settings.snippets_dir):
        program = path.with_suffix(".py")
        if path.suffix == SUFFIX and program.is_file():
            try:
                record = load(snippet.load(program, settings))
            except (RecordingError, SettingsError, OSError):
                continue
            name = path.relative_to(settings.snippets_dir).as_posix()
            yield f"{name}.js", record.script() if record else ""


def problems(program: Snippet) -> Iterator[tuple[str, str]]:
    """Find what is wrong with the file of a program: location and message."""
    label = program.label.removesuffix(".py") + SUFFIX
    try:
        record = load(program)
    except RecordingError as error:
        yield f"{label}:{error.line}", error.message
    except OSError as error:
        yield f"{label}:1", str(error)
    else:
        if record and (fault := record.problem()):
            yield f"{label}:1", f"{fault}; 'python -m tracebook update' runs it again"


def path_of(program: Snippet) -> Path:
    """Return the file of a program, which needn't exist."""
    return program.path.with_suffix(SUFFIX)


def load(program: Snippet) -> Sliders | None:
    """Read the file beside a program, or return None if there is none.

    Raises:
        RecordingError: a line isn't understood.
        OSError: the file can't be read.
    """
    path = path_of(program)
    if not path.is_file():
        return None
    # The output isn't part of what is cached, because it may change by itself.
    recording = _read(replace(program, output=None), path, files.text(path))
    return replace(recording, snippet=program)


@lru_cache(maxsize=1024)
def _read(program: Snippet, path: Path, text: str) -> Sliders:
    """Parse a file. While a site is served, an edit changes few of them."""
    head, _, rest = text.partition("\n\n")
    declared = head.rstrip("\n") + "\n"
    parameters = tuple(
        _declared(program, number, line)
        for number, line in enumerate(declared.splitlines(), 1)
    )
    recording = Sliders(path, program, parameters, declared)
    if len({p.place for p in parameters}) < len(parameters):
        raise RecordingError(1, "names one constant twice")
    if (number := sum(1 for _ in recording.combinations())) > MOST:
        raise RecordingError(1, f"has {number} combinations; at most {MOST}")
    first_line, _, output = rest.partition("\n")
    if not first_line.startswith(_PROGRAM):
        return recording
    digest = first_line.removeprefix(_PROGRAM)
    return replace(recording.with_output(output), program=digest)


def _declared(program: Snippet, number: int, line: str) -> Parameter:
    if not (declaration := _DECLARATION.fullmatch(line)):
        raise RecordingError(
            number,
            f"{line!r} isn't a parameter; write NAME = FIRST to LAST by STEP,"
            " or NAME = VALUE, VALUE, …",
        )
    try:
        return parameter(program.text, declaration["name"], declaration["values"])
    except ValueError as error:
        raise RecordingError(number, str(error)) from error


class _Messages(ast.NodeTransformer):
    """Adds, after each assertion about a variable, a print of its message."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        has_variable = any(isinstance(part, ast.Name) for part in ast.walk(node.test))
        if not node.msg or not has_variable:
            return [node]
        words = f'" ".join(({ast.unparse(node.msg)}).split())'
        return [node, *ast.parse(f"print({_MESSAGE!r} + {words})").body]
