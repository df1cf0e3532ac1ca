"""A snippet: one program, the trace beside it, and what its comments declare."""

import re
from dataclasses import dataclass
from pathlib import Path

from .settings import Settings, SettingsError

_DECLARATION = re.compile(r"^#\s*tracebook:(?P<text>.*)$")
_RAISES = re.compile(r"raises\s+(?P<type>[A-Za-z_][\w.]*)")
_REL = re.compile(r"rel\s*=\s*(?P<rel>\S+)")


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

    def owns_figure(self, file_name: str) -> bool:
        """Whether a file the program left behind is a figure of its own."""
        stem = re.escape(self.path.stem)
        return re.fullmatch(rf"{stem}(-[\w-]+)?\.svg", file_name) is not None


def load(path: Path, settings: Settings) -> Snippet:
    """Read one program; raises SettingsError for a declaration not understood."""
    shown = path.relative_to(settings.root).as_posix()
    try:
        source = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{shown}: not UTF-8: {error}") from error
    raises, rel = None, settings.rel
    for number, line in enumerate(source.splitlines(), 1):
        found = _DECLARATION.match(line)
        if not found:
            continue
        text = found["text"].strip()
        if match := _RAISES.fullmatch(text):
            raises = match["type"]
        elif match := _REL.fullmatch(text):
            rel = _tolerance(match["rel"], f"{shown}:{number}")
        else:
            raise SettingsError(
                f"{shown}:{number}: unknown setting {text!r};"
                " known: 'raises TYPE', 'rel=NUMBER'"
            )
    name = path.relative_to(settings.snippets_dir).as_posix()
    return Snippet(path, name, shown, source, raises, rel)


def _tolerance(text: str, where: str) -> float:
    try:
        rel = float(text)
    except ValueError:
        rel = -1.0
    if not 0 <= rel < 1:
        raise SettingsError(f"{where}: rel={text} is not between 0 and 1")
    return rel


def find(settings: Settings, paths: list[Path] = ()) -> list[Snippet]:
    """The programs under ``paths``, or all of the book, in the order of names.

    A path may be a program, its trace, or a folder.
    Raises SettingsError for a path that holds no snippet.
    """
    chosen = set()
    for path in map(Path.resolve, paths):
        if not path.is_relative_to(settings.snippets_dir.resolve()):
            raise SettingsError(f"{path}: not inside {settings.snippets}/")
        if path.suffix == ".out":
            path = path.with_suffix(".py")
        below = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        if not below or not below[0].is_file():
            raise SettingsError(f"{path}: no snippet there")
        chosen.update(settings.snippets_dir / p.relative_to(
            settings.snippets_dir.resolve()) for p in below)
    if not paths:
        chosen.update(settings.snippets_dir.rglob("*.py"))
    return [load(path, settings) for path in sorted(chosen)]
