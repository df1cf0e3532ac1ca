"""A snippet: one program, the trace beside it, and what its comments declare."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import files, includes
from .settings import LOOSEST, Settings, SettingsError

_DECLARATION = re.compile(r"#\s*tracebook:\s*(?P<text>.*?)\s*")
_KNOWN = re.compile(
    r"(?P<alone>alone)"
    r"|raises\s+(?P<raises>[A-Za-z_][\w.]*)"
    r"|rel\s*=\s*(?P<rel>0|0?\.[0-9]+|[0-9](?:\.[0-9]+)?e-0*[1-9][0-9]*)"
)


@dataclass(frozen=True)
class Snippet:
    """One program of the book."""

    path: Path
    name: str
    """Path below the snippets folder, with forward slashes."""
    label: str
    """Path below the project's root, for messages."""
    source: str
    """What stands in the file."""
    raises: str | None
    """Type of the exception that ends the program on purpose."""
    rel: float
    alone: bool = False
    """Whether it shares no process with others, in a notebook either."""
    variants: tuple[tuple[str, str], ...] = ()
    """Texts that run in its place, one after the other, and a line before each."""

    @property
    def text(self) -> str:
        """What readers see and copy, and what runs: the file without the comments that
        are for tools alone."""
        return includes.visible(self.source)

    def line(self, number: int) -> int:
        """The number in the file of a line of the text; 1 for none of its lines."""
        seen = includes.visible_lines(self.source)
        return seen[min(number, len(seen)) - 1] if number and seen else 1

    @property
    def output_path(self) -> Path:
        return self.path.with_suffix(".out")

    @property
    def output_label(self) -> str:
        return self.label.removesuffix(".py") + ".out"

    @property
    def files(self) -> dict[str, Path]:
        """Program and trace, by the names that includes have for them."""
        trace = self.name.removesuffix(".py") + ".out"
        return {self.name: self.path, trace: self.output_path}


def declared(source: str, shown: str) -> dict[str, str]:
    """What the comments of a program say, by its kind; ``shown`` names it.

    Raises SettingsError for a declaration not understood.
    """
    said: dict[str, str] = {}
    for number, line in enumerate(source.splitlines(), 1):
        if not (declaration := _DECLARATION.fullmatch(line)):
            continue
        found = _KNOWN.fullmatch(declaration["text"])
        if not found or not found.lastgroup or float(found["rel"] or 0) > LOOSEST:
            raise SettingsError(
                f"{shown}:{number}: unknown setting {declaration['text']!r};"
                f" known: 'alone', 'raises TYPE' and 'rel=NUMBER' up to {LOOSEST:g}"
            )
        if found.lastgroup in said:
            raise SettingsError(f"{shown}:{number}: {found.lastgroup} is set twice")
        said[found.lastgroup] = found[found.lastgroup]
    return said


def load(path: Path, settings: Settings) -> Snippet:
    """Read one program; raises SettingsError for a declaration not understood."""
    # What is not UTF-8 is left to Python, which refuses it when it runs.
    source = path.read_text("utf-8", "surrogateescape")
    shown = settings.label(path)
    said = declared(source, shown)
    name = path.relative_to(settings.snippets_dir).as_posix()
    return Snippet(
        path,
        name,
        shown,
        source,
        said.get("raises"),
        float(said.get("rel", settings.rel)),
        "alone" in said,
    )


def find(settings: Settings, paths: Sequence[Path] = ()) -> list[Snippet]:
    """The programs under ``paths``, or all of the book, in the order of names.

    A path may be a program, a file beside it, or a folder.
    Raises SettingsError for a path that holds no snippet.
    """
    programs: dict[Path, set[Path]] = {}  # a link and its target are two
    for path in files.below(settings.snippets_dir):
        if path.suffix == ".py":
            programs.setdefault(path.resolve(), set()).add(path)
    chosen = set() if paths else set().union(*programs.values())
    for path in paths:
        beside = path.suffix in (".out", ".live")
        # Unlike resolve(), realpath() takes a link to itself, too.
        asked = Path(os.path.realpath(path.with_suffix(".py") if beside else path))
        below = programs.get(asked) or set().union(
            *(its for real, its in programs.items() if real.is_relative_to(asked))
        )
        if not below:
            raise SettingsError(f"{path}: no snippet there")
        chosen |= below
    return [load(path, settings) for path in sorted(chosen)]
