"""How a built site is found, shared and taken for what it is: from its pages to tags
in their heads, and to the files beside them. Knows no site generator."""

from pathlib import Path

from ..versions import packages
from . import files, forge, head
from .book import Book, Change, History
from .cards import Cards
from .page import Page, read

_STYLE = "assets/site.css"


def write(site: Path, book: Book, kept: Path) -> None:
    """Complete a built site; cards that were drawn before are in ``kept``."""
    history = History(book.root, (book.docs, "snippets"))
    ran = packages()
    pages = read(site, book)
    places = {page.place: page for page in pages}
    changes = [(page, _last(page, history, book)) for page in pages]
    for page, change in changes:
        links = forge.links(
            book,
            page.source if page.source and history.has(page.source) else None,
            (book.address or "/") + page.place,
            ", ".join(f"{name} {at}" for name, at in ran.items()),
            history.revision,
        )
        text = head.with_tags(page.text, page, book, _above(page, places), change, ran)
        text = head.with_line(text, change, ran, links)
        page.path.write_text(text, "utf-8")
    for old, new in book.moved.items():
        path = site / old.strip("/") / "index.html"
        if path.exists():
            raise ValueError(f"moved: {old} is a page")
        if new not in places:
            raise ValueError(f"moved: {old} leads to {new}, which is no page")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files.moved(old, new, book), "utf-8")
    (site / "robots.txt").write_text(files.robots(book), "utf-8")
    # The generator's has no dates, and without an address no use.
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        (site / name).unlink(missing_ok=True)
    if book.address:
        (site / "sitemap.xml").write_bytes(files.sitemap(changes, book))
        (site / head.FEED).write_bytes(files.feed(changes, book))
        _draw(site, book, kept, pages, ran)
    texts = [path.read_text("utf-8") for path in sorted(site.rglob("*.html"))]
    (site / "_headers").write_text(files.headers(texts, book), "utf-8")


def _last(page: Page, history: History, book: Book) -> Change | None:
    """A page changes with its text and with its programs."""
    if not page.source:
        return history.last()
    below = page.source.removeprefix(f"{book.docs}/").rpartition(".")[0]
    return history.last(page.source, f"snippets/{below}")


def _above(page: Page, places: dict[str, Page]) -> list[Page]:
    """The pages of the folders that a page is in, from the first on."""
    names = page.place.strip("/").split("/")
    above = ["", *("/".join(names[:n]) + "/" for n in range(1, len(names)))]
    return [places[each] for each in above if each in places and each != page.place]


def _draw(
    site: Path, book: Book, kept: Path, pages: list[Page], ran: dict[str, str]
) -> None:
    ran_with = next((f"{name} {at}" for name, at in ran.items()), "")
    line = f"derived by hand · run with {ran_with} · every trace compared"
    css = (site / _STYLE).read_text("utf-8")
    cards = Cards(kept, book.name, line, css)
    for page in pages:
        path = site / head.card(page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(cards.png(page))
