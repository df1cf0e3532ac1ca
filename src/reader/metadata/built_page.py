"""Read a built page: its title, description, source, formula and figure."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from lxml import html

from mathml import plain

from .project import Project

LONGEST = 160
"""The number of characters that a description has at most."""
_ASIDES = {"details", "aside", "li", "td"}


@dataclass(frozen=True)
class BuiltPage:
    """A page of a built site."""

    file: Path
    address: str
    """Address below the site's, such as ``guide/vjp/``; empty for the home page."""
    text: str
    title: str
    description: str
    source: str | None
    """Path of its source in the project."""
    formula: html.HtmlElement | None
    """The first displayed formula with an upstream factor, or the first one."""


def read(site: Path, project: Project) -> list[BuiltPage]:
    """Return the pages of a built site, without the page for wrong addresses."""
    return [
        page
        for path in sorted(site.rglob("index.html"))
        if (page := _page(path, site, project))
    ]


def _page(path: Path, site: Path, project: Project) -> BuiltPage | None:
    text = path.read_text("utf-8")
    document = html.document_fromstring(text)
    article = document.find(".//article")
    heading = None if article is None else article.find(".//h1")
    if article is None or heading is None:
        return None
    folder = path.parent.relative_to(site).as_posix().removeprefix(".")
    tags = (m for m in document.iter("meta") if m.get("name") == "description")
    description = next((tag.get("content", "") for tag in tags), "")
    if description in ("", project.description):
        text_of_page = " ".join(map(_text, _paragraphs(article)))
        description = shorten(text_of_page, LONGEST, placeholder=" …")
    formulas = [f for f in article.iter("math") if f.get("display") == "block"]
    with_upstream = [
        f for f in formulas if "upstream" in {e.get("class") for e in f.iter()}
    ]
    return BuiltPage(
        file=path,
        address=f"{folder}/".lstrip("/"),
        text=text,
        title=_text(heading),
        description=description,
        source=_source(folder, project),
        formula=next(iter([*with_upstream, *formulas]), None),
    )


def _source(folder: str, project: Project) -> str | None:
    names = (f"{folder}/index.md", f"{folder}.md", f"{folder}.py")
    paths = ((Path(project.docs) / name.lstrip("/")).as_posix() for name in names)
    return next((path for path in paths if (project.root / path).is_file()), None)


def _paragraphs(article: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """Return the paragraphs of running text, without asides and buttons."""
    for paragraph in article.iter("p"):
        ancestors = {*paragraph.iterancestors()} - {*article.iterancestors()}
        if not (
            {ancestor.tag for ancestor in ancestors} & _ASIDES
            or any("admonition" in ancestor.classes for ancestor in ancestors)
            or paragraph.find_class("md-button")
            or "stamp" in paragraph.classes
        ):
            yield paragraph


def _text(element: html.HtmlElement) -> str:
    """Return the visible text of an element on one line, with formulas as text."""
    if element.tag == "math":
        text = plain.line(element)
    elif element.tag in ("script", "style") or "headerlink" in element.classes:
        text = ""
    else:
        children = (_text(child) + (child.tail or "") for child in element)
        text = (element.text or "") + "".join(children)
    return " ".join(text.split()) if element.tag in ("p", "h1") else text
