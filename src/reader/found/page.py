"""One built page: what it says of itself."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import html

from mathml import plain

from .book import Book

SHORTEST, LONGEST = 90, 160
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")
_ASIDES = {"details", "aside", "li", "td"}


@dataclass(frozen=True)
class Page:
    path: Path
    place: str
    """Its address below the site: ``guide/vjp/``, and nothing for the first."""
    text: str
    title: str
    description: str
    source: str | None
    """The file it is made from, in the project."""
    formula: html.HtmlElement | None
    """That which stands for the page: with an upstream factor, or the first."""
    figure: Path | None


def read(site: Path, book: Book) -> list[Page]:
    """The pages of a built site; what is for those who are lost is none."""
    return [
        page
        for path in sorted(site.rglob("index.html"))
        if (page := _page(path, site, book))
    ]


def _page(path: Path, site: Path, book: Book) -> Page | None:
    text = path.read_text("utf-8")
    document = html.document_fromstring(text)
    article = document.find(".//article")
    heading = None if article is None else article.find(".//h1")
    if article is None or heading is None:
        return None
    place = path.parent.relative_to(site).as_posix().removeprefix(".")
    said = next(
        (
            each.get("content", "")
            for each in document.iter("meta")
            if each.get("name") == "description"
        ),
        "",
    )
    formulas = [f for f in article.iter("math") if f.get("display") == "block"]
    with_upstream = [
        f for f in formulas if "upstream" in {e.get("class") for e in f.iter()}
    ]
    figures = [
        figure
        for image in article.iter("img")
        if (figure := path.parent / image.get("src", "").partition("#")[0]).suffix
        == ".svg"
        and figure.is_file()
    ]
    return Page(
        path=path,
        place=f"{place}/".lstrip("/"),
        text=text,
        title=_text(heading),
        description=said
        if said and said != book.description
        else summary(map(_text, _paragraphs(article))),
        source=_source(place, book),
        formula=next(iter([*with_upstream, *formulas]), None),
        figure=next(iter(figures), None),
    )


def _source(place: str, book: Book) -> str | None:
    names = (f"{place}/index.md", f"{place}.md", f"{place}.py")
    paths = ((Path(book.docs) / name.lstrip("/")).as_posix() for name in names)
    return next((path for path in paths if (book.root / path).is_file()), None)


def _paragraphs(article: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """Those that the page itself says, without asides and buttons."""
    for each in article.iter("p"):
        above = {*each.iterancestors()} - {*article.iterancestors()}
        if not (
            {ancestor.tag for ancestor in above} & _ASIDES
            or any("admonition" in ancestor.classes for ancestor in above)
            or each.find_class("md-button")
            or "stamp" in each.classes
        ):
            yield each


def _text(element: html.HtmlElement) -> str:
    """What a reader sees of it, on one line, formulas as plain text."""
    if element.tag == "math":
        seen = plain.line(element)
    elif element.tag in ("script", "style") or "headerlink" in element.classes:
        seen = ""
    else:
        inside = (_text(child) + (child.tail or "") for child in element)
        seen = (element.text or "") + "".join(inside)
    return " ".join(seen.split()) if element.tag in ("p", "h1") else seen


def summary(paragraphs: Iterable[str]) -> str:
    """The first sentences, as many as a result of a search shows, and enough."""
    found = ""
    for sentence in (s for text in paragraphs for s in _SENTENCE.split(text) if s):
        longer = f"{found} {sentence}".strip()
        if len(longer) > LONGEST:
            return found if len(found) >= SHORTEST else _cut(longer)
        found = longer
    return found


def _cut(sentence: str) -> str:
    """At the last sign before the end, or else at a word."""
    room = sentence[: LONGEST - 1]
    at = max(room.rfind(sign) for sign in (", ", "; ", ": "))
    return f"{room[: at if at >= SHORTEST else room.rfind(' ')]} …"[:LONGEST]
