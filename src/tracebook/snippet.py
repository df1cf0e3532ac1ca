"""A snippet: one program, the output beside it, and what its comments declare."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from . import files, includes
from .settings import LOOSEST, Settings, SettingsError

_DECLARATION = re.compile(r"#\s*tracebook:\s*(?P<text>.*?)\s*")
_OPTION = re.compile(
    r"(?P<alone>alone)"
    r"|raises\s+(?P<raises>[A-Za-z_][\w.]*)"
    r"|rel\s*=\s*(?P<rel>0|0?\.[0-9]+|[0-9](?:\.[0-9]+)?e-0*[1-9][0-9]*)"
)


@dataclass(frozen=True)
class Snippet:
    """One program of the project."""

    path: Path
    name: str
    """Path below the folder of programs, with forward slashes."""
    label: str
    """Path below the project's root, for messages."""
    source: str
    """The content of the file."""
    raises: str | None
    """Type of the exception that ends the program on purpose."""
    rel: float
    alone: bool = False
    """Whether it shares no process with others, in a notebook either."""
    variants: tuple[tuple[str, str], ...] = ()
    """Headings and texts that run in its place, one after the other."""
    output: str | None = field(default=None, compare=False)
    """The content of the file beside it, or None if there is no such file."""

    @property
    def text(self) -> str:
        """The text that readers see and copy, and that runs: without the comments for
        tools."""
        return includes.visible(self.source)

    def line(self, number: int) -> int:
        """Return the number in the file of a line of the text; 1 for line 0."""
        numbers = includes.visible_lines(self.source)
        return numbers[min(number, len(numbers)) - 1] if number and numbers else 1

    @property
    def output_path(self) -> Path:
        return self.path.with_suffix(".out")

    @property
    def output_label(self) -> str:
        return self.label.removesuffix(".py") + ".out"

    @property
    def digests(self) -> tuple[str, str]:
        """Digests of the program and of the output."""
        texts = (self.source, self.output or "")
        encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
        return sha256(encoded[0]).hexdigest(), sha256(encoded[1]).hexdigest()


def declared(source: str, label: str) -> dict[str, str]:
    """Return what the comments of a program declare.

    Args:
        source: the program.
        label: its name in messages.

    Raises:
        SettingsError: a declaration isn't understood.
    """
    options: dict[str, str] = {}
    for number, line in enumerate(source.splitlines(), 1):
        if not (declaration := _DECLARATION.fullmatch(line)):
            continue
        option = _OPTION.fullmatch(declaration["text"])
        if not option or not option.lastgroup or float(option["rel"] or 0) > LOOSEST:
            raise SettingsError(
                f"{label}:{number}: unknown setting {declaration['text']!r};"
                f" known: 'alone', 'raises TYPE' and 'rel=NUMBER' up to {LOOSEST:g}"
            )
        if option.lastgroup in options:
            raise SettingsError(f"{label}:{number}: {option.lastgroup} is set twice")
        options[option.lastgroup] = option[option.lastgroup]
    return options


def load(path: Path, settings: Settings) -> Snippet:
    """Read a program and its output.

    Raises:
        SettingsError: a declaration isn't understood.
    """
    # What is not UTF-8 is left to Python, which refuses it when it runs.
    source = path.read_text("utf-8", "surrogateescape")
    name, label = path.relative_to(settings.snippets_dir), settings.label(path)
    options = declared(source, label)
    output, output_path = None, path.with_suffix(".out")
    if output_path.is_file():
        output = output_path.read_bytes().decode("utf-8", "surrogateescape")
    rel, alone = float(options.get("rel", settings.rel)), "alone" in options
    raises = options.get("raises")
    return Snippet(
        path, name.as_posix(), label, source, raises, rel, alone, output=output
    )


def is_twin(name: str) -> bool:
    """Return whether a program, ``NAME.KIND.py``, belongs to another environment."""
    return name.rpartition("/")[2].count(".") > 1


def find(settings: Settings, paths: Sequence[Path] = ()) -> list[Snippet]:
    """Read the programs of a project, in the order of names.

    Args:
        settings: of the project.
        paths: programs, files beside them or folders, if not all are wanted.

    Raises:
        SettingsError: there is no program at a path, or a declaration isn't understood.
    """
    programs: dict[Path, set[Path]] = {}  # a link and its target are two
    for path in files.below(settings.snippets_dir):
        if path.suffix == ".py" and is_twin(path.name) == settings.twins:
            programs.setdefault(path.resolve(), set()).add(path)
    chosen = set() if paths else set().union(*programs.values())
    for path in paths:
        # Unlike resolve(), realpath() accepts a link to itself.
        real = os.path.realpath(path)
        beside = os.path.realpath(os.path.splitext(path)[0] + ".py")
        below = [links for file, links in programs.items() if file.is_relative_to(real)]
        matches = set().union(*below) or programs.get(Path(beside), set())
        if not matches:
            raise SettingsError(f"{path}: no snippet there")
        chosen |= matches
    return [load(path, settings) for path in sorted(chosen)]
