"""Citations have the names and the year of their sources.

An entry of the bibliography begins with the authors, up to its title, and has its
year behind that. Its key is made of both.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..finding import Finding
from ..page import BIBLIOGRAPHY, Page
from .said import refused, said

_ENTRY = re.compile(
    r"^(?P<term>\S+) \{ #(?P<key>\S+) \}\n\n:   (?P<said>.+(?:\n.+)*)", re.MULTILINE
)
_CITATION = re.compile(
    rf"\[(?P<words>[^\[\]]*)\]\([^)\s]*{re.escape(BIBLIOGRAPHY)}#(?P<key>[^)\s]*)\)"
)
_INITIALS = re.compile(r"(?:[A-Z]\.[- ]?)+")
_YEAR = re.compile(r"\b\d{4}\b")
_ADDRESS = re.compile(r"\]\([^)]*\)")


@dataclass(frozen=True)
class Source:
    """One entry."""

    key: str
    text: str
    """Its first paragraph, without addresses."""

    @property
    def name(self) -> str:
        return re.sub(r"\d{4}$", "", self.key)

    @property
    def authors(self) -> list[str]:
        """Their last names."""
        people = re.split(r",\s| and ", self.text.partition("*")[0].strip(" [,"))
        people = [each.strip() for each in people if each.strip()]
        return [_INITIALS.sub("", each).strip() or each for each in people]

    @property
    def year(self) -> str:
        """The first one behind the title."""
        found = _YEAR.search(self.text.rpartition("*")[2])
        return found[0] if found else ""

    @property
    def names(self) -> list[str]:
        """All of the authors, or the first of more than two."""
        if not self.authors:
            return [self.name]
        *others, last = self.authors
        every = " and ".join([", ".join(others), last]) if others else last
        return [every, f"{others[0]} et al."] if len(others) > 1 else [every]

    @property
    def cited(self) -> list[str]:
        """How it may be cited."""
        year = f", {self.year}" if self.year else ""
        return [self.key, *(names + year for names in self.names)]


@cache
def _sources(text: str) -> dict[str, tuple[Source, int]]:
    """By their keys, and where each begins."""
    return {
        entry["key"]: (
            Source(entry["key"], " ".join(_ADDRESS.sub("]", entry["said"]).split())),
            entry.start(),
        )
        for entry in _ENTRY.finditer(text)
    }


def check(page: Page, root: Path) -> Iterator[Finding]:
    bibliography = page.settings.docs_dir / BIBLIOGRAPHY
    is_list = page.path == bibliography
    known = _sources(page.text if is_list else _text(bibliography))
    for cited in _CITATION.finditer(page.without_code):
        source, _ = known.get(cited["key"], (None, 0))
        words = " ".join(cited["words"].split())
        if source and _is_named(source, words, page, cited.start(), [*known]):
            yield said(page, cited.start(), "compared", words, "the bibliography")
        else:
            forms = " or ".join(source.cited) if source else "no such entry"
            how = f"the bibliography has, under {cited['key']}: {forms}"
            yield refused(page, cited.start(), words, how)
    if is_list:
        yield from _keys(page, known)


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _is_named(source: Source, words: str, page: Page, at: int, keys: list[str]) -> bool:
    """In one of its forms; what has no author, by its name or by words of its entry,
    or in a sentence that names it."""
    if words in source.cited:
        return True
    if source.authors or words in keys or _YEAR.search(words):
        return False
    return (
        source.name in words
        or words.lower() in source.text.lower()
        or (words.islower() and source.name in _ADDRESS.sub("", page.sentences(at)[-1]))
    )


def _keys(page: Page, known: dict[str, tuple[Source, int]]) -> Iterator[Finding]:
    for key, (source, at) in known.items():
        first = source.authors[0].split()[-1] if source.authors else source.name
        term = page.text[at:].partition(" ")[0]
        if not term == key == first + (source.year if key[-1].isdigit() else ""):
            how = f"its entry says {' and '.join(source.authors)} {source.year}"
            yield refused(page, at, key, how)
