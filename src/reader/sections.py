"""Split a built page into sections of plain text for the search.

A heading with an id begins a section, and so does a term of the glossary. Formulas are
written on one line, as one would type them: ``dy/dx = 2 x_0``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import html
from lxml.html import HtmlElement

from mathml import plain

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = {"p", "li", "tr", "div", "pre", "dd", "figcaption", "summary", *_HEADINGS}
_HIDDEN = {"script", "style", "svg", "button", "nav", "annotation"}


@dataclass
class TextSection:
    """The text between a heading and the next one."""

    anchor: str
    title: str
    level: int
    prose: list[str] = field(default_factory=list)
    """Blocks of running text."""
    code: list[str] = field(default_factory=list)
    """Programs and their outputs."""
    names: tuple[str, ...] = ()
    """Other words for the title: the forms of a term."""
    ancestors: tuple[str, ...] = ()
    """Titles of the sections that contain it, the page first."""


def sections(page: str) -> list[TextSection]:
    """Return the sections of a page's HTML, in order."""
    result = [TextSection("", "", 0)]
    for element in html.fragments_fromstring(page, no_leading_text=True):
        _collect(element, result)
    # Excluded sections have no title.
    titled = [section for section in result if section.title]
    path: list[TextSection] = []
    for section in titled:
        path = [each for each in path if each.level < section.level]
        section.ancestors = tuple(each.title for each in path)
        path.append(section)
    return titled


def _collect(element: HtmlElement, result: list[TextSection]) -> None:
    """Add the text of an element to the last section, or begin a new one."""
    is_heading = element.tag in _HEADINGS or element.tag == "dt"
    if is_heading and "data-search-exclude" in element.attrib:
        result.append(TextSection("", "", 6))
    elif not isinstance(element.tag, str) or _is_hidden(element):
        return
    elif is_heading and element.get("id"):
        level = int(element.tag[1]) if element.tag != "dt" else 3
        names = tuple(map(str.strip, (element.get("data-forms") or "").split(",")))
        anchor = element.get("id", "")
        result.append(TextSection(anchor, _text(element), level, names=names))
    elif element.tag == "pre":
        result[-1].code.append("".join(_parts(element)).strip("\n"))
    elif element.tag in _BLOCKS and not any(
        child.tag in _BLOCKS or child.tag in ("ul", "ol", "table", "dl")
        for child in element.iterdescendants()
    ):
        if text := _text(element):
            result[-1].prose.append(text)
    else:
        if text := " ".join((element.text or "").split()):
            result[-1].prose.append(text)
        for child in element:
            _collect(child, result)
            if text := " ".join((child.tail or "").split()):
                result[-1].prose.append(text)


def _is_hidden(element: HtmlElement) -> bool:
    return (
        element.tag in _HIDDEN
        or "data-search-exclude" in element.attrib
        or "headerlink" in element.get("class", "").split()
    )


def _text(element: HtmlElement) -> str:
    return " ".join("".join(_parts(element)).split())


def _parts(element: HtmlElement) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and not _is_hidden(child):
            if child.tag == "math":
                yield plain.line(child)
            else:
                yield from _parts(child)
                if child.tag in ("td", "th", "br"):
                    yield " "
        yield child.tail or ""
