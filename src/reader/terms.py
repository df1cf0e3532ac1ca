"""Python-Markdown extension that links terms of the glossary to their entries.

On every page but the glossary, the first occurrence of each term in running text
becomes a link to its entry, with the definition as its title. Entries stand only in
``docs/glossary.md``, in this form::

    local derivative { #local-derivative data-forms="local derivatives" }

    :   The definition, in words: its first paragraph is the title of the links.

        Signs, synonyms and links follow.

``data-forms`` lists inflections and synonyms, which are linked as well. ``.unlinked``
before it marks an entry that isn't linked, because every page has that word.
"""

import posixpath
import re
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
    r"\n\n:   (?P<definition>.+(?:\n.+)*)",
    re.MULTILINE,
)
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*`]")
_RUNNING = {"p", "li", "td", "dd"}
_UNLINKED = {"a", "code", "pre", "summary", "blockquote", "script", "style"}
_UNLINKED |= {f"h{level}" for level in range(1, 7)}
_UNLINKED_CLASSES = {"arithmatex", "admonition-title"}


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
    """The entries of a glossary, and their forms."""

    def __init__(self, text: str) -> None:
        self.entries = [_entry(term) for term in _TERM.finditer(text)]
        self.forms = {
            _normalized(form): entry for entry in self.entries for form in entry.forms
        }
        """Entries by the forms that become links."""
        longest_first = sorted(self.forms, key=len, reverse=True)
        words = (r"\s+".join(map(re.escape, form.split())) for form in longest_first)
        self.pattern = re.compile(
            rf"(?<![\w-])(?:{'|'.join(words) or '(?!)'})(?![\w-])", re.IGNORECASE
        )


def _entry(term: re.Match[str]) -> GlossaryEntry:
    forms = [form.strip() for form in (term["forms"] or "").split(",")]
    return GlossaryEntry(
        term["term"],
        term["id"],
        () if term["unlinked"] else (term["term"], *filter(None, forms)),
        " ".join(_MARKUP.sub(r"\1", term["definition"]).split()),
    )


def _normalized(form: str) -> str:
    return " ".join(form.lower().split())


def _load(docs: Path) -> Glossary:
    """Return the glossary in the folder of pages; it may be empty."""
    path = docs / GLOSSARY
    return _parse(path.read_text("utf-8") if path.exists() else "")


_parse = lru_cache(maxsize=1)(Glossary)


class _TermLinker(Treeprocessor):
    def run(self, root: Element) -> None:
        page = generator.page(self.md)
        if page not in (None, GLOSSARY):
            self._glossary = _load(generator.docs(self.md))
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
        links: list[Element] = []
        if not text or not running:
            return text, links
        before, end = text, 0
        for form in self._glossary.pattern.finditer(text):
            entry = self._glossary.forms[_normalized(form[0])]
            if entry.id in self._linked:
                continue
            self._linked.add(entry.id)
            if links:
                links[-1].tail = text[end : form.start()]
            else:
                before = text[: form.start()]
            links.append(self._link(form[0], entry))
            end = form.end()
            links[-1].tail = text[end:]
        return before, links

    def _link(self, text: str, entry: GlossaryEntry) -> Element:
        address = f"{self._address}#{entry.id}"
        link = Element("a", {"class": "term", "title": entry.title, "href": address})
        link.text = text
        return link


def cache_key(page: str, text: str, docs: Path, root: Path) -> object:
    """Return all terms and their entries."""
    return () if page == GLOSSARY else _load(docs).entries


makeExtension = maker("terms", _TermLinker, _AFTER_ATTRIBUTES)
