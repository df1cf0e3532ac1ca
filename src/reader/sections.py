"""The sections of a built page, as plain text: what the search reads.

A heading with an id begins one, and so does a term of a glossary. Formulas are
written in a line, as one would type them: ``dy/dx = 2 x_0``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import html
from lxml.html import HtmlElement

from mathml import plain

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = {"p", "li", "tr", "div", "pre", "dd", "figcaption", "summary", *_HEADINGS}
_UNSEEN = {"script", "style", "svg", "button", "nav", "annotation"}


@dataclass
class Section:
    """What stands between one heading and the next."""

    anchor: str
    title: str
    level: int
    prose: list[str] = field(default_factory=list)
    """Blocks of running text."""
    code: list[str] = field(default_factory=list)
    """Programs and what they print."""
    names: tuple[str, ...] = ()
    """Other words for the title: the forms of a term."""


def sections(page: str) -> list[Section]:
    """The sections of a page's content, in its order."""
    found = [Section("", "", 0)]
    for element in html.fragments_fromstring(page, no_leading_text=True):
        _walk(element, found)
    return [each for each in found if each.title]  # and is not excluded


def _walk(element: HtmlElement, found: list[Section]) -> None:
    starts = element.tag in _HEADINGS or element.tag == "dt"
    if starts and "data-search-exclude" in element.attrib:
        found.append(Section("", "", 6))
    elif not isinstance(element.tag, str) or _is_unseen(element):
        return
    elif starts and element.get("id"):
        level = int(element.tag[1]) if element.tag != "dt" else 3
        names = tuple(
            name.strip() for name in (element.get("data-forms") or "").split(",")
        )
        found.append(Section(element.get("id", ""), _text(element), level, names=names))
    elif element.tag == "pre":
        found[-1].code.append("".join(_parts(element)).strip("\n"))
    elif element.tag in _BLOCKS and not any(
        child.tag in _BLOCKS or child.tag in ("ul", "ol", "table", "dl")
        for child in element.iterdescendants()
    ):
        if text := _text(element):
            found[-1].prose.append(text)
    else:
        if text := " ".join((element.text or "").split()):
            found[-1].prose.append(text)
        for child in element:
            _walk(child, found)
            if text := " ".join((child.tail or "").split()):
                found[-1].prose.append(text)


def _is_unseen(element: HtmlElement) -> bool:
    return (
        element.tag in _UNSEEN
        or "data-search-exclude" in element.attrib
        or "headerlink" in element.get("class", "").split()
    )


def _text(element: HtmlElement) -> str:
    return " ".join("".join(_parts(element)).split())


def _parts(element: HtmlElement) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and not _is_unseen(child):
            if child.tag == "math":
                yield plain.line(child)
            else:
                yield from _parts(child)
                if child.tag in ("td", "th", "br"):
                    yield " "
        yield child.tail or ""
