"""Add tags to the head of a page, and a line about the page below its text."""

import re
from html import escape
from urllib.parse import quote

from ..versions import in_words, packages
from .built_page import BuiltPage
from .history import Change
from .project import Project

CARDS = "assets/cards"
_DESCRIPTION = re.compile(r'<meta name="description" content="[^"]*">')


def card(page: BuiltPage) -> str:
    """Return the path of a page's card below the site."""
    return f"{CARDS}/{page.address.strip('/') or 'index'}.png"


def with_tags(page: BuiltPage, project: Project) -> str:
    """Return the text of a page with a description in its head, and with tags for
    previews if the address of the site is known."""
    description = f'<meta name="description" content="{escape(page.description)}">'
    text, replaced = _DESCRIPTION.subn(lambda _: description, page.text, count=1)
    tags = [] if replaced else [description]
    if project.address:
        tags += _preview_tags(page, project)
    return text.replace("</head>", "\n".join([*tags, "</head>"]), 1)


def _preview_tags(page: BuiltPage, project: Project) -> list[str]:
    address = project.address + quote(page.address)
    canonical = f'<link rel="canonical" href="{escape(address)}">'
    has_canonical = '<link rel="canonical"' in page.text
    properties = {
        "og:type": "article" if page.address else "website",
        "og:site_name": project.name,
        "og:title": page.title,
        "og:description": page.description,
        "og:url": address,
        "og:image": project.address + quote(card(page)),
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": f"{page.title}: {page.description}",
    }
    return [
        *([] if has_canonical else [canonical]),
        *(
            f'<meta property="{name}" content="{escape(content)}">'
            for name, content in properties.items()
        ),
        '<meta name="twitter:card" content="summary_large_image">',
    ]


def with_last_line(text: str, change: Change | None, links: dict[str, str]) -> str:
    """Return a page with a line of versions, date and links (by title) at its end."""
    parts = [f"Built with {escape(in_words(packages()))}"]
    if change:
        parts.append(f'Changed <time datetime="{change.moment}">{change.day}</time>')
    parts += [f'<a href="{escape(to)}">{title}</a>' for title, to in links.items()]
    before, end, after = text.rpartition("</article>")
    return f'{before}<p class="beside">{" · ".join(parts)}</p>\n{end}{after}'
