"""What a page says to machines, in its head, and of itself, below its text."""

import json
import re
from html import escape
from urllib.parse import quote

from .book import Book, Change
from .page import Page

CARDS = "assets/cards"
FEED = "changes.xml"
_DESCRIPTION = re.compile(r'<meta name="description" content="[^"]*">')
LICENSE = "https://creativecommons.org/licenses/by/4.0/"


def card(page: Page) -> str:
    """Where the picture of a page lies below the site."""
    return f"{CARDS}/{page.place.strip('/') or 'index'}.png"


def with_tags(
    text: str,
    page: Page,
    book: Book,
    above: list[Page],
    change: Change | None,
    versions: dict[str, str],
) -> str:
    """The page with its head; ``above`` are the pages that lead to it."""
    description = f'<meta name="description" content="{escape(page.description)}">'
    text, had = _DESCRIPTION.subn(lambda _: description, text, count=1)
    tags = [] if had else [description]
    data = _data(page, book, change, versions)
    if book.address:
        here = book.address + quote(page.place)
        picture = book.address + quote(card(page))
        if '<link rel="canonical"' not in text:
            tags.append(f'<link rel="canonical" href="{escape(here)}">')
        # The theme takes an "alternate" alone for a translation, and asks for its map.
        tags.append(
            '<link rel="alternate feed" type="application/atom+xml"'
            f' title="{escape(book.name)}: changes"'
            f' href="{escape(book.address + FEED)}">'
        )
        said = {
            "og:type": "article" if page.place else "website",
            "og:site_name": book.name,
            "og:title": page.title,
            "og:description": page.description,
            "og:url": here,
            "og:image": picture,
            "og:image:width": "1200",
            "og:image:height": "630",
            "og:image:alt": f"{page.title}: {page.description}",
        }
        tags += [_meta("property", *each) for each in said.items()]
        tags.append(_meta("name", "twitter:card", "summary_large_image"))
        data |= {
            "url": here,
            "mainEntityOfPage": here,
            "image": picture,
            "breadcrumb": _trail([*above, page], book),
        }
    # No text ends the element.
    shown = json.dumps(data, ensure_ascii=False).replace("</", r"<\/")
    tags.append(f'<script type="application/ld+json">{shown}</script>')
    return text.replace("</head>", "\n".join([*tags, "</head>"]), 1)


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}">'


def _data(
    page: Page, book: Book, change: Change | None, versions: dict[str, str]
) -> dict[str, object]:
    """https://schema.org/TechArticle"""
    data: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "TechArticle",
        "headline": page.title,
        "description": page.description,
        "inLanguage": "en",
        "isPartOf": {"@type": "WebSite", "name": book.name},
        "license": LICENSE,
        "dependencies": ", ".join(f"{name} {at}" for name, at in versions.items()),
        "about": [
            {"@type": "SoftwareApplication", "name": name, "softwareVersion": at}
            for name, at in versions.items()
        ],
    }
    if change:
        data["dateModified"] = change.moment
    return data


def _trail(pages: list[Page], book: Book) -> dict[str, object]:
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {
                "@type": "ListItem",
                "position": position,
                "name": each.title,
                "item": book.address + quote(each.place),
            }
            for position, each in enumerate(pages, 1)
        ],
    }


def with_line(
    text: str,
    change: Change | None,
    versions: dict[str, str],
    links: dict[str, str],
) -> str:
    """The page with its last line: with which versions its programs run, when it
    changed, and what a reader can do about it."""
    ran = ", ".join(f"{name} {at}" for name, at in versions.items())
    parts = [f"Built with {escape(ran)}"]
    if change:
        parts.append(f'Changed <time datetime="{change.moment}">{change.day}</time>')
    parts += [f'<a href="{escape(to)}">{name}</a>' for name, to in links.items()]
    before, end, after = text.rpartition("</article>")
    return f'{before}<p class="beside">{" · ".join(parts)}</p>\n{end}{after}'
