"""What the pages embed, and whether it is there."""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import files, includes
from .settings import Settings
from .snippet import Snippet

# What MkDocs takes for a page.
_SUFFIXES = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
_TABLES = "tables"
_FIGURE = re.compile(r"[(\"'=]\s*(?:\.\./)*figures/(?P<name>[\w/-]+\.svg)\b")


@dataclass(frozen=True)
class Problem:
    """Something that does not hold, and where."""

    location: str
    message: str
    name: str = ""
    """The snippet that it is of, or none."""

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


@dataclass(frozen=True)
class Embed(includes.Include):
    """What a page includes, and the line of the page for messages."""

    where: str = ""


def embeds(settings: Settings) -> Iterator[Embed]:
    """Everything that the pages include, in the order of pages and lines."""
    for page, text in _pages(settings):
        for each in includes.find(text):
            where = f"{settings.label(page)}:{each.line}"
            yield Embed(**vars(each), where=where)


def figures(settings: Settings) -> dict[str, str]:
    """The published files that pages show: name, and the first place."""
    shown: dict[str, str] = {}
    for page, text in _pages(settings):
        for found in _FIGURE.finditer(text):
            line = text.count("\n", 0, found.start("name")) + 1
            shown.setdefault(found["name"], f"{settings.label(page)}:{line}")
    return shown


def problems(
    settings: Settings, snippets: list[Snippet], stale: Collection[str]
) -> Iterator[Problem]:
    """What the pages show and is not there, and what is there and not shown.

    Figures that are ``stale`` are there, but no longer drawn.
    """
    texts = {name: path for s in snippets for name, path in s.files.items()}
    records = tables(settings)
    texts |= records
    embedded = set()
    for embed in embeds(settings):
        embedded.add(embed.name)
        if problem := _problem(embed, texts, settings):
            yield Problem(embed.where, problem)
    for name, where in figures(settings).items():
        if name in stale or not (settings.figures_dir / name).exists():
            yield Problem(where, f"shows the figure {name}, which no snippet drew")
    for snippet in snippets:
        for name, path in snippet.files.items():
            if name not in embedded:
                yield Problem(settings.label(path), "no page shows it", snippet.name)
    for name, path in records.items():
        if name not in embedded:
            yield Problem(settings.label(path), "no page shows it", name)


def tables(settings: Settings) -> dict[str, Path]:
    """Return the records of tables, by the names that includes have for them: the
    Markdown files in ``tables/``, below the folder of the snippets."""
    folder = settings.snippets_dir / _TABLES
    paths = files.below(folder) if folder.is_dir() else []
    return {
        path.relative_to(settings.snippets_dir).as_posix(): path
        for path in paths
        if path.suffix == ".md"
    }


def unreadable(settings: Settings) -> Iterator[str]:
    """What no site can be made of: pages and what they include, but cannot be read."""
    read = {page: "" for page, _ in _pages(settings)}
    for embed in embeds(settings):
        path = settings.snippets_dir / embed.name
        if embed.name and path.is_dir():
            yield f"{embed.where}: embeds {embed.name}, which is a folder"
        elif embed.name and path.is_file():
            read[path] = embed.where
    for path in read:
        try:
            files.text(path, settings.label(path))
        except OSError as error:
            yield str(error)


def _problem(embed: Embed, texts: dict[str, Path], settings: Settings) -> str | None:
    if not embed.name:
        return (
            'an include is a line of its own: --8<-- "NAME.py", with nothing behind it'
        )
    path = texts.get(embed.name)
    if not path or not path.is_file():
        return f"embeds {embed.name}, which is not in {settings.snippets}/"
    text = path.read_text("utf-8", "replace")
    lines = embed.lines(text)
    if lines is None:
        return (
            f"embeds section {embed.section!r} of {path.name},"
            " which does not start and end there once"
        )
    if not "".join(lines).strip():
        return f"embeds nothing: {embed.section or 'all'} of {path.name} is empty"
    return None


def included(text: str, folder: Path) -> dict[str, bytes | None] | None:
    """The files that a text includes, also by way of others, as they are now.

    None if it is malformed, so that nobody knows what it includes.
    """
    found: dict[str, bytes | None] = {}
    texts = [text]
    while texts:
        for each in includes.find(texts.pop()):
            if not each.name:
                return None
            if each.name not in found:
                content = None
                with suppress(OSError):
                    content = (folder / each.name).read_bytes()
                found[each.name] = content
                if content and b"-8<-" in content:
                    text = content.decode("utf-8", "replace")
                    is_program = each.name.endswith(".py")
                    texts.append(includes.visible(text) if is_program else text)
    return found


def _pages(settings: Settings) -> Iterator[tuple[Path, str]]:
    for page in files.below(settings.docs_dir):
        if page.suffix in _SUFFIXES:
            # As MkDocs does, without the mark that some editors begin with.
            yield page, page.read_text("utf-8-sig", "replace")
