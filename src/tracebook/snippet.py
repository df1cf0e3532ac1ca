"""A snippet: one program, the trace beside it, and what its comments declare."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .settings import Settings, SettingsError

_DECLARATION = re.compile(r"#\s*tracebook:\s*(?P<text>.*?)\s*")
_KNOWN = re.compile(
    r"raises\s+(?P<raises>[A-Za-z_][\w.]*)"
    r"|rel\s*=\s*(?P<rel>0|0?\.[0-9]+|[0-9](?:\.[0-9]+)?e-0*[1-9][0-9]*)"
)


@dataclass(frozen=True)
class Snippet:
    """One program of the book."""

    path: Path
    name: str
    """Path below the snippets folder, with forward slashes."""
    shown: str
    """Path below the project's root, for messages."""
    source: str
    raises: str | None
    """Type of the exception that ends the program on purpose."""
    rel: float

    @property
    def trace_path(self) -> Path:
        return self.path.with_suffix(".out")

    @property
    def trace_shown(self) -> str:
        return self.shown.removesuffix(".py") + ".out"


def load(path: Path, settings: Settings) -> Snippet:
    """Read one program; raises SettingsError for a declaration not understood."""
    # What is not UTF-8 is left to Python, which refuses it when it runs.
    source = path.read_text("utf-8", "surrogateescape")
    shown = settings.shown(path)
    declared = {"rel": settings.rel}
    for number, line in enumerate(source.splitlines(), 1):
        if not (declaration := _DECLARATION.fullmatch(line)):
            continue
        if not (found := _KNOWN.fullmatch(declaration["text"])):
            raise SettingsError(
                f"{shown}:{number}: unknown setting {declaration['text']!r};"
                " known: 'raises TYPE', and 'rel=NUMBER' below 1"
            )
        declared[found.lastgroup] = found[found.lastgroup]
    name = path.relative_to(settings.snippets_dir).as_posix()
    return Snippet(
        path, name, shown, source, declared.get("raises"), float(declared["rel"])
    )


def find(settings: Settings, paths: Sequence[Path] = ()) -> list[Snippet]:
    """The programs under ``paths``, or all of the book, in the order of names.

    A path may be a program, its trace, or a folder.
    Raises SettingsError for a path that holds no snippet.
    """
    programs = {p.resolve(): p for p in settings.snippets_dir.rglob("*.py")}
    chosen = set() if paths else set(programs.values())
    for path in paths:
        asked = path.with_suffix(".py") if path.suffix == ".out" else path
        below = {
            p for real, p in programs.items() if real.is_relative_to(asked.resolve())
        }
        if not below:
            raise SettingsError(f"{path}: no snippet there")
        chosen |= below
    return [load(path, settings) for path in sorted(chosen)]
