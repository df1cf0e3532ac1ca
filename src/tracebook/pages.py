"""The pages: what they include and show, and whether that is there."""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from . import files, includes
from .includes import Include
from .report import Problem
from .settings import Settings
from .snippet import Snippet

_SUFFIXES = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
_FIGURE = re.compile(r"[(\"'=]\s*(?:\.\./)*figures/(?P<name>[\w/-]+\.svg)\b")


def included(settings: Settings) -> Iterator[tuple[Include, str]]:
    """Return each include of the pages with its location, in their order."""
    for page, text in _pages(settings):
        for include in includes.find(text):
            yield include, f"{settings.label(page)}:{include.line}"


def figures(settings: Settings) -> dict[str, str]:
    """Return the published figures that pages show, with the first location of each."""
    locations: dict[str, str] = {}
    for page, text in _pages(settings):
        for figure in _FIGURE.finditer(text):
            line = text.count("\n", 0, figure.start("name")) + 1
            locations.setdefault(figure["name"], f"{settings.label(page)}:{line}")
    return locations


def problems(
    settings: Settings,
    programs: list[Snippet],
    stale: Collection[str],
    records: Mapping[str, Path],
) -> Iterator[Problem]:
    """Find what pages show and isn't there, and what is there and no page shows.

    Args:
        settings: of the project.
        programs: all programs.
        stale: published figures that no program draws any longer.
        records: other files that pages may include, by name.
    """
    texts: dict[str, tuple[str | None, str]] = {}
    """Contents and the names of programs, by the names that includes have for them."""
    for program in programs:
        texts[program.name] = program.source, program.name
        texts[f"{program.name[:-3]}.out"] = program.output, program.name
    for name, path in records.items():
        texts[name] = path.read_text("utf-8", "replace"), name
    names = set()
    for include, location in included(settings):
        names.add(include.name)
        content, _ = texts.get(include.name, (None, ""))
        if message := _fault(include, content, settings):
            yield Problem(location, message)
    for name, location in figures(settings).items():
        if name in stale or not (settings.figures_dir / name).exists():
            yield Problem(location, f"shows the figure {name}, which no snippet drew")
    for name, (_, owner) in texts.items():
        if name not in names:
            label = settings.label(settings.snippets_dir / name)
            yield Problem(label, "no page shows it", owner)


def unreadable(settings: Settings) -> Iterator[str]:
    """Return messages on pages and included files that can't be read."""
    paths = {page: "" for page, _ in _pages(settings)}
    for include, location in included(settings):
        path = settings.snippets_dir / include.name
        if include.name and path.is_dir():
            yield f"{location}: embeds {include.name}, which is a folder"
        elif include.name and path.is_file():
            paths[path] = location
    for path in paths:
        try:
            files.text(path, settings.label(path))
        except OSError as error:
            yield str(error)


def _fault(include: Include, content: str | None, settings: Settings) -> str | None:
    if not include.name:
        return 'an include is a line of its own, with nothing behind it: --8<-- "NAME"'
    if content is None:
        return f"embeds {include.name}, which is not in {settings.snippets}/"
    lines, file = include.lines(content), include.name.rpartition("/")[2]
    if lines is None:
        return (
            f"embeds section {include.section!r} of {file},"
            " which does not start and end there once"
        )
    if not "".join(lines).strip():
        return f"embeds nothing: {include.section or 'all'} of {file} is empty"
    return None


def _pages(settings: Settings) -> Iterator[tuple[Path, str]]:
    for page in files.below(settings.docs_dir):
        if page.suffix in _SUFFIXES:
            # Without the mark with which some editors begin a file, as MkDocs reads it.
            yield page, page.read_text("utf-8-sig", "replace")
