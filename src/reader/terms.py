"""Links from the terms of the glossary to their entries.

A Python-Markdown extension: on every page but the glossary, the first occurrence
of each term in running text becomes a link to its entry, with the definition as
its title. ``docs/glossary.md`` is the only source. There an entry reads::

    local derivative { #local-derivative data-forms="local derivatives" }

    :   The definition, in words: its first paragraph is the title of the links.

        Signs, synonyms and links follow.

``data-forms`` lists inflections and synonyms that are linked as well, and
``.unlinked`` before it marks an entry that is not: a word that every page has.
Above the entries stand the letters with which they begin.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from . import place

GLOSSARY = "glossary.md"
# After attributes in braces, and before links become those of the site.
_LATE = 6

_TERM = re.compile(
    r"^(?P<term>\w[^\n]*?) \{ #(?P<id>[\w-]+)(?P<unlinked> \.unlinked)?"
    r"(?: data-forms=\"(?P<forms>[^\"\n]*)\")? \}$"
    r"(?P<entry>\n\n:   (?P<said>.+(?:\n.+)*))?",
    re.MULTILINE,
)
_DEFINITION = re.compile(r"^:   ", re.MULTILINE)
_REFERENCE = re.compile(r"\]\(#(?P<id>[^)]*)\)")
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*`]")
_RUNNING = {"p", "li", "td", "dd"}
_SILENT = {
    "a",
    "code",
    "pre",
    "summary",
    "blockquote",
    "script",
    "style",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
}
_SILENT_CLASSES = {"arithmatex", "admonition-title"}


class GlossaryError(Exception):
    """The glossary contradicts itself; names file and line."""


@dataclass(frozen=True)
class Entry:
    """A term and what is said of it."""

    term: str
    id: str
    forms: tuple[str, ...]
    """What is linked to it; nothing for a word that every page has."""
    title: str


class Glossary:
    """The entries of a text, and one pattern for all their forms."""

    def __init__(self, text: str, shown: str = GLOSSARY) -> None:
        self._text, self._shown = text, shown
        self.entries: dict[str, Entry] = {}
        """By id."""
        self._forms: dict[str, Entry] = {}
        taken: set[str] = set()
        for found in _TERM.finditer(text):
            entry = self._read(found)
            for form in {_plain(form) for form in (entry.term, *entry.forms)}:
                if form in taken:
                    raise self._error(found.start(), f"{form!r} is listed twice")
                taken.add(form)
            if entry.id in self.entries:
                raise self._error(found.start(), f"#{entry.id} is there twice")
            self.entries[entry.id] = entry
            self._forms.update((_plain(form), entry) for form in entry.forms)
        self._refuse_what_is_left()
        self._pattern = _any_of(self._forms)

    @property
    def forms(self) -> list[str]:
        """All that is linked."""
        return [*self._forms]

    def find(self, text: str) -> Iterator[tuple[re.Match, Entry]]:
        """Forms in a text, the longest where several begin."""
        for found in self._pattern.finditer(text):
            yield found, self._forms[_plain(found[0])]

    def _read(self, found: re.Match) -> Entry:
        if not found["entry"]:
            raise self._error(found.start(), f"{found['term']!r} has no definition")
        if "$" in found["said"]:
            raise self._error(
                found.start("said"),
                "a formula in the first paragraph, which a title cannot show",
            )
        forms = [form.strip() for form in (found["forms"] or "").split(",")]
        return Entry(
            found["term"],
            found["id"],
            () if found["unlinked"] else (found["term"], *filter(None, forms)),
            " ".join(_MARKUP.sub(r"\1", found["said"]).split()),
        )

    def _refuse_what_is_left(self) -> None:
        known = {found.start("said") for found in _TERM.finditer(self._text)}
        for found in _DEFINITION.finditer(self._text):
            if found.end() not in known:
                raise self._error(found.start(), "a definition whose term has no id")
        for found in _REFERENCE.finditer(self._text):
            if found["id"] not in self.entries:
                raise self._error(found.start(), f"no entry has the id #{found['id']}")

    def _error(self, offset: int, reason: str) -> GlossaryError:
        line = self._text.count("\n", 0, offset) + 1
        return GlossaryError(f"{self._shown}:{line}: {reason}")


def _plain(form: str) -> str:
    return " ".join(form.lower().split())


def _any_of(forms: Iterable[str]) -> re.Pattern:
    longest_first = sorted(forms, key=len, reverse=True)
    words = (r"\s+".join(map(re.escape, form.split())) for form in longest_first)
    return re.compile(
        rf"(?<![\w-])(?:{'|'.join(words) or '(?!)'})(?![\w-])", re.IGNORECASE
    )


def load(docs: Path) -> Glossary | None:
    """The glossary of a book, or None where it has none."""
    path = docs / GLOSSARY
    if not path.exists():
        return None
    return _read(path.read_text("utf-8"), f"{docs.name}/{GLOSSARY}")


_read = lru_cache(maxsize=1)(Glossary)


class TermsExtension(Extension):
    """Links the pages of a book."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Linker(md), "terms", _LATE)


class _Linker(Treeprocessor):
    def run(self, root: Element) -> None:
        page = place.page(self.md)
        glossary = load(place.docs(self.md))
        if page == GLOSSARY:
            _add_letters(root)
        if page in (None, GLOSSARY) or glossary is None:
            return
        self._glossary = glossary
        self._address = posixpath.relpath(GLOSSARY, posixpath.dirname(page))
        self._linked: set[str] = set()
        self._walk(root, running=False)

    def _walk(self, element: Element, running: bool) -> None:
        """Link an element's text, in the order of reading."""
        if element.tag in _SILENT or (
            _SILENT_CLASSES & set(element.get("class", "").split())
        ):
            return
        running = running or element.tag in _RUNNING
        element.text, parts = self._split(element.text, running)
        for child in list(element):
            self._walk(child, running)
            child.tail, links = self._split(child.tail, running)
            parts += [child, *links]
        element[:] = parts

    def _split(
        self, text: str | None, running: bool
    ) -> tuple[str | None, list[Element]]:
        """The text up to the first link, and links with what follows as tails."""
        new = list(self._new(text)) if text and running else []
        if not text or not new:
            return text, []
        ends = [found.start() for found, _ in new[1:]] + [len(text)]
        links = [
            self._link(found[0], entry, text[found.end() : end])
            for (found, entry), end in zip(new, ends)
        ]
        return text[: new[0][0].start()], links

    def _new(self, text: str) -> Iterator[tuple[re.Match, Entry]]:
        """Terms that the page has not linked yet."""
        for found, entry in self._glossary.find(text):
            if entry.id not in self._linked:
                self._linked.add(entry.id)
                yield found, entry

    def _link(self, words: str, entry: Entry, after: str) -> Element:
        link = Element(
            "a",
            {
                "class": "term",
                "title": entry.title,
                "href": f"{self._address}#{entry.id}",
            },
        )
        link.text, link.tail = words, after
        return link


def _add_letters(root: Element) -> None:
    """Links to the first entry of each letter, above the entries."""
    entries = root.find("dl")
    if entries is None:
        return
    letters = Element("nav", {"class": "letters", "aria-label": "Letters"})
    seen: set[str] = set()
    for term in entries.iter("dt"):
        letter = "".join(term.itertext()).strip()[:1].upper()
        if letter not in seen:
            seen.add(letter)
            link = Element("a", {"href": f"#{term.get('id')}"})
            link.text, link.tail = letter, " "
            letters.append(link)
    root.insert(list(root).index(entries), letters)


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """What a page's links to terms are made of."""
    glossary = load(docs)
    if page == GLOSSARY or glossary is None:
        return ()
    return glossary.forms, [*glossary.entries.values()]


def makeExtension(**options: object) -> TermsExtension:
    return TermsExtension(**options)
