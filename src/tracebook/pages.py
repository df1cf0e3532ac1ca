"""What the pages embed, and whether it is there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .settings import Settings
from .snippet import Snippet

# What pymdownx.snippets might take for an include, and the one form to write it.
_INCLUDE = re.compile(r"\s*-+8<-+")
_EMBED = re.compile(
    r'\s*-+8<-+ "(?P<name>[^"\s:;]+)'
    r'(:(?P<selection>[A-Za-z][\w-]*|[0-9]*(:[0-9]*)?))?"'
)
_SECTION = r"(?m)^\s*# -+8<-+ \[(start|end):%s\]$"
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
    """One ``--8<--`` on one line of a page; without a name if it is malformed."""

    where: str
    name: str = ""
    selection: str = ""


def embeds(settings: Settings) -> Iterator[Embed]:
    """Everything that the pages include, in the order of pages and lines."""
    for where, line in _lines(settings):
        if _INCLUDE.match(line):
            found = _EMBED.fullmatch(line)
            yield Embed(where, **(found.groupdict("") if found else {}))


def figures(settings: Settings) -> dict[str, str]:
    """The generated figures that pages show: name, and the first place."""
    shown: dict[str, str] = {}
    for where, line in _lines(settings):
        for found in _FIGURE.finditer(line):
            shown.setdefault(found["name"], where)
    return shown


def problems(settings: Settings, snippets: list[Snippet]) -> Iterator[Problem]:
    """What the pages show and is not there, and what is there and not shown."""
    embedded = set()
    for embed in embeds(settings):
        embedded.add(settings.snippets_dir / embed.name)
        if problem := _problem(embed, settings):
            yield Problem(embed.where, problem)
    for name, where in figures(settings).items():
        if not (settings.figures_dir / name).exists():
            yield Problem(where, f"shows the figure {name}, which no snippet drew")
    for snippet in snippets:
        if snippet.path not in embedded:
            yield Problem(snippet.shown, "no page shows it")
        if snippet.trace_path not in embedded:
            yield Problem(snippet.trace_shown, "no page shows it")


def _problem(embed: Embed, settings: Settings) -> str | None:
    path, selection = settings.snippets_dir / embed.name, embed.selection
    if not embed.name:
        return (
            'an include is a line of its own: --8<-- "NAME.py", with nothing behind it'
        )
    if not path.is_file() or ".." in path.parts:
        return f"embeds {embed.name}, which is not in {settings.snippets}/"
    text = path.read_text("utf-8", "replace")
    if selection[:1].isalpha():
        if re.findall(_SECTION % re.escape(selection), text) != ["start", "end"]:
            return (
                f"embeds section {selection!r} of {path.name},"
                " which does not start and end there once"
            )
    elif selection:
        last = len(text.splitlines())
        lines = [1, *map(int, filter(None, selection.split(":"))), last]
        if lines != sorted(lines):
            return f"embeds lines {selection} of {path.name}, which has {last} lines"
    return None


def _lines(settings: Settings) -> Iterator[tuple[str, str]]:
    for page in sorted(settings.docs_dir.rglob("*.md")):
        text = page.read_text("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), 1):
            yield f"{settings.shown(page)}:{number}", line
