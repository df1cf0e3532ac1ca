"""Write what search engines and previews get: tags in heads, and files.

This package reads and completes the pages of a built site, whatever generator built it.
"""

from collections import defaultdict
from pathlib import Path

from ..versions import in_words, packages
from . import files, forge, head
from .built_page import BuiltPage, read
from .cards import Cards
from .history import Change, History
from .project import Project

_STYLE = "assets/site.css"


def write(site: Path, project: Project, card_cache: Path) -> None:
    """Complete a built site, with cards from a cache that all builds share.

    Raises:
        ValueError: A moved page still exists at its old address, or leads to no page.
    """
    history = History(project.root, (project.docs, "snippets"))
    pages = read(site, project)
    changes = [(page, _last_change(page, history, project)) for page in pages]
    for page, change in changes:
        links = forge.links(
            project,
            page.source if page.source and history.has(page.source) else None,
            (project.address or "/") + page.address,
            in_words(packages()),
            history.revision,
        )
        text = head.with_tags(page, project)
        page.file.write_text(head.with_last_line(text, change, links), "utf-8")
    _write_redirects(site, project, {page.address for page in pages})
    (site / "robots.txt").write_text(files.robots(project), "utf-8")
    # The generator's site map has no dates, and is useless without an address.
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        (site / name).unlink(missing_ok=True)
    if project.address:
        (site / "sitemap.xml").write_bytes(files.sitemap(changes, project))
        _write_cards(site, project, card_cache, pages)
    texts = [path.read_text("utf-8") for path in sorted(site.rglob("*.html"))]
    (site / "_headers").write_text(files.headers(texts, project), "utf-8")


def _last_change(page: BuiltPage, history: History, project: Project) -> Change | None:
    """Return the last change of a page's text or of its programs."""
    if not page.source:
        return history.last()
    stem = page.source.removeprefix(f"{project.docs}/").rpartition(".")[0]
    return history.last(page.source, f"snippets/{stem}")


def _write_redirects(site: Path, project: Project, addresses: set[str]) -> None:
    sections: dict[str, dict[str, str]] = defaultdict(dict)
    for old, new in project.moved.items():
        page, _, anchor = new.partition("#")
        if page not in addresses:
            raise ValueError(f"moved: {old} leads to {new}, which is no page")
        text = (site / page / "index.html").read_text("utf-8")
        if anchor and f'id="{anchor}"' not in text:
            raise ValueError(f"moved: {old} leads to {new}, which has no such section")
        former, mark, section = old.partition("#")
        sections[former][mark + section] = new
    for old, places in sections.items():
        if "" not in places:
            raise ValueError(f"moved: {old} needs a line without a section, too")
        path = site / old.strip("/") / "index.html"
        if path.exists():
            raise ValueError(f"moved: {old} is a page")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files.redirect(old, places, project), "utf-8")


def _write_cards(
    site: Path, project: Project, card_cache: Path, pages: list[BuiltPage]
) -> None:
    tensorflow = next(map(" ".join, packages().items()), "")
    line = f"derived by hand · run with {tensorflow} · every trace compared"
    css = (site / _STYLE).read_text("utf-8")
    cards = Cards(card_cache, project.name, line, css)
    for page in pages:
        path = site / head.card(page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(cards.png(page))
