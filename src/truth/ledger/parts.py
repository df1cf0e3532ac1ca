"""What was checked on each page, on a page beside the ledger: all of it together takes
a browser seconds to load."""

from copy import deepcopy
from pathlib import Path

from lxml import html
from lxml.html import HtmlElement

_CONTENTS = "md-nav--secondary"
"""Of the theme: the table of contents, which names sections of the ledger."""


def split(ledger: Path) -> None:
    """Move what a built ledger unfolds to files of its folder, and link to them.

    They are no pages of the book: their addresses are in no map and in no search. The
    ledger of a theme without an article stays whole.
    """
    document = html.document_fromstring(ledger.read_text("utf-8"))
    article = next(document.iter("article"), None)
    if article is None:
        return
    parts = []
    for details in [*article.iterchildren("details")]:
        heading, said = _above(details)
        [label] = details.iterchildren("summary")
        details.remove(label)
        link = html.fragment_fromstring("<p><a></a></p>")
        link[0].attrib["href"] = _name(heading)
        link[0].text = "".join(map(str, label.itertext()))
        article.replace(details, link)
        parts.append((heading, [said, *details]))
    shell = _shell(document)
    for heading, content in parts:
        page = _page(shell, heading, content)
        _write(ledger.with_name(_name(heading)), page)
    _write(ledger, document)


def _name(heading: HtmlElement) -> str:
    """The file of a part; the first page of the book is called index, too."""
    return f"of-{heading.get('id')}.html"


def _above(details: HtmlElement) -> tuple[HtmlElement, HtmlElement]:
    """The heading of a part, and what it says of the page in one paragraph."""
    said = details.getprevious()
    heading = said.getprevious()
    assert heading.tag == "h3", "a part is a heading, a paragraph and its list"
    return heading, said


def _shell(document: HtmlElement) -> HtmlElement:
    """The page without what stands on it but its title and its last line."""
    shell = deepcopy(document)
    [article] = shell.iter("article")
    for each in [*article]:
        if each.tag != "h1" and "beside" not in each.classes:
            article.remove(each)
    for contents in shell.find_class(_CONTENTS):
        contents.clear()
    return shell


def _page(
    shell: HtmlElement, heading: HtmlElement, content: list[HtmlElement]
) -> HtmlElement:
    page = deepcopy(shell)
    title = "".join(heading.xpath("text()|*[not(@class='headerlink')]//text()"))
    [article] = page.iter("article")
    [first] = article.iterchildren("h1")
    first.text = f"{first.text}: {title}"
    [name] = page.iterfind("head/title")
    name.text = f"{title} - {name.text}"
    at = article.index(first) + 1
    article[at:at] = [deepcopy(each) for each in content]
    return page


def _write(path: Path, document: HtmlElement) -> None:
    text = html.tostring(document, encoding="unicode", doctype="<!doctype html>")
    path.write_text(text, "utf-8")
