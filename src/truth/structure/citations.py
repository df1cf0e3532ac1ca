"""Check that citations have the names and the year of their sources.

An entry of the bibliography begins with the authors and the title, and has its year
after that. Its key is made of the first author and the year.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..finding import Finding
from ..page import BIBLIOGRAPHY, Page
from .findings import finding

_ENTRY = re.compile(
    r"^(?P<term>\S+) \{ #(?P<key>\S+) \}\n\n:   (?P<text>.+(?:\n.+)*)", re.MULTILINE
)
_CITATION = re.compile(
    rf"\[(?P<words>[^\[\]]*)\]\([^)\s]*{re.escape(BIBLIOGRAPHY)}#(?P<key>[^)\s]*)\)"
)
_INITIALS = re.compile(r"(?:[A-Z]\.[- ]?)+")
_YEAR = re.compile(r"\b\d{4}\b")
_ADDRESS = re.compile(r"\]\([^)]*\)")


@dataclass(frozen=True)
class Entry:
    """An entry of the bibliography."""

    key: str
    term: str
    text: str
    """Its first paragraph, without addresses."""
    start: int
    """Its offset in the bibliography."""

    @property
    def name(self) -> str:
        """The key without the year."""
        return re.sub(r"\d{4}$", "", self.key)

    @property
    def authors(self) -> list[str]:
        """The last names of the authors."""
        people = re.split(r",\s| and ", self.text.partition("*")[0].strip(" [,"))
        people = [person.strip() for person in people if person.strip()]
        return [_INITIALS.sub("", person).strip() or person for person in people]

    @property
    def year(self) -> str:
        """The first year after the title, or nothing."""
        match = _YEAR.search(self.text.rpartition("*")[2])
        return match[0] if match else ""

    @property
    def citations(self) -> list[str]:
        """The forms in which the source may be cited."""
        names = [self.name]
        if self.authors:
            *first, last = self.authors
            names = [" and ".join([", ".join(first), last]) if first else last]
            if len(first) > 1:
                names.append(f"{first[0]} et al.")
        year = f", {self.year}" if self.year else ""
        return [self.key, *(name + year for name in names)]


@cache
def _entries(text: str) -> dict[str, Entry]:
    """Return the entries of the bibliography by their keys."""
    entries = {}
    for match in _ENTRY.finditer(text):
        paragraph = " ".join(_ADDRESS.sub("]", match["text"]).split())
        entry = Entry(match["key"], match["term"], paragraph, match.start())
        entries[entry.key] = entry
    return entries


def check(page: Page) -> Iterator[Finding]:
    """Compare the citations of a page with the bibliography."""
    bibliography = page.settings.docs_dir / BIBLIOGRAPHY
    is_bibliography = page.path == bibliography
    text = page.text if is_bibliography else page.read_text(bibliography)
    entries = _entries(text)
    for match in _CITATION.finditer(page.without_code):
        entry = entries.get(match["key"])
        words = " ".join(match["words"].split())
        if entry and _is_cited(entry, words, page, match.start(), entries):
            yield finding(page, match.start(), words, "the bibliography", "compared")
        else:
            forms = " or ".join(entry.citations) if entry else "no such entry"
            detail = f"the bibliography has, under {match['key']}: {forms}"
            yield finding(page, match.start(), words, detail)
    for entry in entries.values() if is_bibliography else ():
        first = entry.authors[0].split()[-1] if entry.authors else entry.name
        key = first + (entry.year if entry.key[-1].isdigit() else "")
        if not entry.term == entry.key == key:
            detail = f"its entry says {' and '.join(entry.authors)} {entry.year}"
            yield finding(page, entry.start, entry.key, detail)


def _is_cited(
    entry: Entry, words: str, page: Page, offset: int, entries: dict[str, Entry]
) -> bool:
    """Return whether words cite an entry.

    A source without authors may also be cited by its name, by words of its entry, or in
    a paragraph that has its name.
    """
    if words in entry.citations:
        return True
    if entry.authors or words in entries or _YEAR.search(words):
        return False
    if entry.name in words or words.lower() in entry.text.lower():
        return True
    block = page.block(offset)
    text = page.text[block.start : block.end] if block else ""
    return words.islower() and entry.name in _ADDRESS.sub("", text)
