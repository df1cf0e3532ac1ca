"""Python-Markdown extension that links terms of the glossary to their entries.

On every page but the glossary, the first occurrence of each term in running text
becomes a link to its entry, with the definition as its title. Entries stand only in
``docs/glossary.md``, in this form::

    local derivative { #local-derivative data-forms="local derivatives" }

    :   The definition, in words: its first paragraph is the title of the links.

        Signs, synonyms and links follow.

``data-forms`` lists inflections and synonyms, which are linked as well. ``.unlinked``
before it marks an entry that isn't linked, because every page has that word. Above the
entries stand links to their first letters.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from . import generator
from .extension import maker

GLOSSARY = "glossary.md"
_AFTER_ATTRIBUTES = 6
"""Priority below that of attributes, and above that of MkDocs' links."""

_TERM = re.compile(
    r"^(?P<term>\w[^\n]*?) \{ #(?P<id>[\w-]+)(?P<unlinked> \.unlinked)?"
    r"(?: data-forms=\"(?P<forms>[^\"\n]*)\")? \}$"
    r"(?P<entry>\n\n:   (?P<definition>.+(?:\n.+)*))?",
    re.MULTILINE,
)
_DEFINITION = re.compile(r"^:   ", re.MULTILINE)
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*`]")
_RUNNING = {"p", "li", "td", "dd"}
_UNLINKED = {"a", "code", "pre", "summary", "blockquote", "script", "style"}
_UNLINKED |= {f"h{level}" for level in range(1, 7)}
_UNLINKED_CLASSES = {"arithmatex", "admonition-title"}


class GlossaryError(Exception):
    """The glossary contradicts itself. The message has file and line."""


@dataclass(frozen=True)
class GlossaryEntry:
    """A term with its definition."""

    term: str
    id: str
    forms: tuple[str, ...]
    """Forms that become links; empty for a word that every page has."""
    title: str
    """The definition as plain text."""


class Glossary:
    """The entries of a glossary. A contradiction raises GlossaryError."""

    def __init__(self, text: str, file: str = GLOSSARY) -> None:
        self._text, self._file = text, file
        self.entries: dict[str, GlossaryEntry] = {}
        """Entries by id."""
        self._forms: dict[str, GlossaryEntry] = {}
        all_forms: set[str] = set()
        terms = [*_TERM.finditer(text)]
        for term in terms:
            entry = self._entry(term)
            for form in {_normalized(form) for form in (entry.term, *entry.forms)}:
                if form in all_forms:
                    raise self._error(term.start(), f"{form!r} is listed twice")
                all_forms.add(form)
            if entry.id in self.entries:
                raise self._error(term.start(), f"#{entry.id} is used twice")
            self.entries[entry.id] = entry
            self._forms.update((_normalized(form), entry) for form in entry.forms)
        self._check_definitions({term.start("definition") for term in terms})
        self._pattern = _pattern(self._forms)

    @property
    def forms(self) -> list[str]:
        """All forms that become links."""
        return [*self._forms]

    def find(self, text: str) -> Iterator[tuple[re.Match, GlossaryEntry]]:
        """Return the forms in a text, the longest where several begin."""
        for form in self._pattern.finditer(text):
            yield form, self._forms[_normalized(form[0])]

    def _entry(self, term: re.Match) -> GlossaryEntry:
        if not term["entry"]:
            raise self._error(term.start(), f"{term['term']!r} has no definition")
        if "$" in term["definition"]:
            raise self._error(
                term.start("definition"),
                "a formula in the first paragraph, which a title cannot show",
            )
        forms = [form.strip() for form in (term["forms"] or "").split(",")]
        return GlossaryEntry(
            term["term"],
            term["id"],
            () if term["unlinked"] else (term["term"], *filter(None, forms)),
            " ".join(_MARKUP.sub(r"\1", term["definition"]).split()),
        )

    def _check_definitions(self, offsets: set[int]) -> None:
        for definition in _DEFINITION.finditer(self._text):
            if definition.end() not in offsets:
                reason = "a definition whose term has no id"
                raise self._error(definition.start(), reason)

    def _error(self, offset: int, reason: str) -> GlossaryError:
        line = self._text.count("\n", 0, offset) + 1
        return GlossaryError(f"{self._file}:{line}: {reason}")


def _normalized(form: str) -> str:
    return " ".join(form.lower().split())


def _pattern(forms: Iterable[str]) -> re.Pattern:
    longest_first = sorted(forms, key=len, reverse=True)
    words = (r"\s+".join(map(re.escape, form.split())) for form in longest_first)
    return re.compile(
        rf"(?<![\w-])(?:{'|'.join(words) or '(?!)'})(?![\w-])", re.IGNORECASE
    )


def load(docs: Path) -> Glossary | None:
    """Return the glossary in the folder of pages, or None if there is none.

    Raises:
        GlossaryError: The glossary contradicts itself.
    """
    path = docs / GLOSSARY
    if not path.exists():
        return None
    return _parse(path.read_text("utf-8"), f"{docs.name}/{GLOSSARY}")


_parse = lru_cache(maxsize=1)(Glossary)


class _TermLinker(Treeprocessor):
    def run(self, root: Element) -> None:
        page = generator.page(self.md)
        glossary = load(generator.docs(self.md))
        if page == GLOSSARY:
            _add_letters(root)
        if page in (None, GLOSSARY) or glossary is None:
            return
        self._glossary = glossary
        self._address = posixpath.relpath(GLOSSARY, posixpath.dirname(page))
        self._linked: set[str] = set()
        self._walk(root, running=False)

    def _walk(self, element: Element, running: bool) -> None:
        """Link the text of an element in reading order."""
        if element.tag in _UNLINKED or (
            _UNLINKED_CLASSES & set(element.get("class", "").split())
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
        """Return the text before the first link, and links with text as their tails."""
        terms = [*self._new_terms(text)] if text and running else []
        if not text or not terms:
            return text, []
        ends = [form.start() for form, _ in terms[1:]] + [len(text)]
        links = [
            self._link(form[0], entry, text[form.end() : end])
            for (form, entry), end in zip(terms, ends)
        ]
        return text[: terms[0][0].start()], links

    def _new_terms(self, text: str) -> Iterator[tuple[re.Match, GlossaryEntry]]:
        """Return the terms that have no link on the page yet."""
        for form, entry in self._glossary.find(text):
            if entry.id not in self._linked:
                self._linked.add(entry.id)
                yield form, entry

    def _link(self, text: str, entry: GlossaryEntry, tail: str) -> Element:
        address = f"{self._address}#{entry.id}"
        link = Element("a", {"class": "term", "title": entry.title, "href": address})
        link.text, link.tail = text, tail
        return link


def _add_letters(root: Element) -> None:
    """Add links to the first entry of each letter above the entries."""
    entries = root.find("dl")
    if entries is None:
        return
    nav = Element("nav", {"class": "letters", "aria-label": "Letters"})
    letters: set[str] = set()
    for term in entries.iter("dt"):
        letter = "".join(term.itertext()).strip()[:1].upper()
        if letter not in letters:
            letters.add(letter)
            link = Element("a", {"href": f"#{term.get('id')}"})
            link.text, link.tail = letter, " "
            nav.append(link)
    root.insert(list(root).index(entries), nav)


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Return all terms and their entries."""
    glossary = load(docs)
    if page == GLOSSARY or glossary is None:
        return ()
    return glossary.forms, [*glossary.entries.values()]


makeExtension = maker("terms", _TermLinker, _AFTER_ATTRIBUTES)
