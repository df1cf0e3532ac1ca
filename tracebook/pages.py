"""What the pages embed, and whether it is there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pymdownx.snippets import SnippetPreprocessor

from .settings import Settings
from .snippet import Snippet

_INCLUDE = re.compile(r"\s*-+8<-+")
_FIGURE = re.compile(r"[(\"'=]\s*(?:\.\./)*figures/(?P<name>[\w/-]+\.svg)")


@dataclass(frozen=True)
class Problem:
    """Something that does not hold, and where."""

    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


@dataclass(frozen=True)
class Embed:
    """One ``--8<--`` on one line of a page."""

    where: str
    name: str
    selection: str


def embeds(settings: Settings) -> Iterator[Embed]:
    """Everything that the pages include, in the order of pages and lines."""
    for where, line in _lines(settings):
        if not _INCLUDE.match(line):
            continue
        found = SnippetPreprocessor.RE_ALL_SNIPPETS.match(line)
        target = (found and found["snippet"] or '""')[1:-1].strip()
        if target.startswith(";"):
            continue
        parts = SnippetPreprocessor.RE_SNIPPET_FILE.match(target)
        yield Embed(where, parts[1].strip(), (parts[2] or parts[3] or "")[1:])


def figures(settings: Settings) -> dict[str, str]:
    """The generated figures that pages show: name, and the first place."""
    shown: dict[str, str] = {}
    for where, line in _lines(settings):
        for found in _FIGURE.finditer(line):
            shown.setdefault(found["name"], where)
    return shown


def problems(settings: Settings, snippets: list[Snippet]) -> Iterator[Problem]:
    """Embeds of what is not there, and snippets that no page shows."""
    embedded = set()
    for embed in embeds(settings):
        path = settings.snippets_dir / embed.name
        embedded.add(path)
        if not embed.name:
            yield Problem(embed.where, "an include is a line of its own:"
                          ' --8<-- "NAME.py", with nothing behind it')
        elif not (path.is_file() and ".." not in path.parts):
            yield Problem(embed.where, f"embeds {embed.name}, which is not"
                          f" in {settings.snippets}/")
        elif reason := _missing_selection(path, embed.selection):
            yield Problem(embed.where, reason)
    for snippet in snippets:
        for path, what in ((snippet.path, snippet.shown),
                           (snippet.trace_path, snippet.trace_shown)):
            if path not in embedded:
                yield Problem(what, "no page shows it")


def _lines(settings: Settings) -> Iterator[tuple[str, str]]:
    for page in sorted(settings.docs_dir.rglob("*.md")):
        shown = page.relative_to(settings.root).as_posix()
        for number, line in enumerate(
                page.read_text("utf-8", "replace").splitlines(), 1):
            yield f"{shown}:{number}", line


def _missing_selection(path: Path, selection: str) -> str | None:
    if not selection:
        return None
    text = path.read_text("utf-8").splitlines()
    if not re.fullmatch(r"[-0-9:,]+", selection):
        marks = [found["type"] for line in text
                 if (found := SnippetPreprocessor.RE_SNIPPET_SECTION.match(line))
                 and not found["escape"] and found["name"] == selection]
        if marks != ["start", "end"]:
            return (f"embeds section {selection!r} of {path.name}, which has"
                    f" {marks.count('start')} start and"
                    f" {marks.count('end')} end of it")
        return None
    for span in selection.split(","):
        first, _, last = span.partition(":")
        ends = [int(number) for number in (first, last) if number]
        if any(abs(n) > len(text) or n == 0 for n in ends) or (
                len(ends) == 2 and 0 < ends[1] < ends[0]):
            return (f"embeds lines {span} of {path.name},"
                    f" which has {len(text)} lines")
    return None
