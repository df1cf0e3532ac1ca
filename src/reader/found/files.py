"""The files beside the pages of a site: for robots, readers of feeds, old links and
the host."""

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from posixpath import relpath
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree as etree

from .book import Book, Change
from .head import FEED
from .page import Page

_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_ATOM = "http://www.w3.org/2005/Atom"
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
_DATA = re.compile(r'\bsrc=|\btype="?application/(?:ld\+)?json')


def robots(book: Book) -> str:
    lines = ["User-agent: *", "Allow: /"]
    if book.address:
        lines += ["", f"Sitemap: {book.address}sitemap.xml"]
    return "\n".join([*lines, ""])


def sitemap(pages: list[tuple[Page, Change | None]], book: Book) -> bytes:
    root = etree.Element("urlset", xmlns=_SITEMAP)
    for page, change in pages:
        each = etree.SubElement(root, "url")
        etree.SubElement(each, "loc").text = book.address + quote(page.place)
        if change:
            etree.SubElement(each, "lastmod").text = change.day
    return _xml(root)


def feed(pages: list[tuple[Page, Change | None]], book: Book) -> bytes:
    """Atom: the last change of each page, the newest first."""
    known = [(change.seconds, page, change) for page, change in pages if change]
    known.sort(key=lambda each: (-each[0], each[1].place))
    root = etree.Element("feed", {"xmlns": _ATOM, "xml:lang": "en"})
    etree.SubElement(root, "title").text = book.name
    etree.SubElement(root, "subtitle").text = book.description
    etree.SubElement(root, "id").text = book.address
    etree.SubElement(root, "link", rel="self", href=book.address + FEED)
    etree.SubElement(root, "link", href=book.address)
    author = etree.SubElement(root, "author")
    etree.SubElement(author, "name").text = book.name
    if known:
        etree.SubElement(root, "updated").text = known[0][2].moment
    for _, page, change in known:
        here = book.address + quote(page.place)
        each = etree.SubElement(root, "entry")
        etree.SubElement(each, "title").text = page.title
        # A reader of feeds shows a change only if it is an entry of its own.
        etree.SubElement(each, "id").text = f"{here}#changed-{change.seconds}"
        etree.SubElement(each, "link", href=here)
        etree.SubElement(each, "updated").text = change.moment
        etree.SubElement(each, "summary").text = page.description
    return _xml(root)


def _xml(root: etree.Element) -> bytes:
    etree.indent(root)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def moved(old: str, new: str, book: Book) -> str:
    """A page at an old address that leads on, to the same section."""
    to = escape(relpath(new.strip("/") or ".", old.strip("/")) + "/")
    canonical = (
        f'<link rel="canonical" href="{escape(book.address + quote(new))}">\n'
        if book.address
        else ""
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<title>This page has moved</title>\n<meta name="robots" content="noindex">\n'
        f"{canonical}"
        f'<script>location.replace("{to}" + location.hash)</script>\n'
        f'<meta http-equiv="refresh" content="0; url={to}">\n</head>\n'
        f'<body><p>This page <a href="{to}">has moved</a>.</p></body>\n</html>\n'
    )


def headers(texts: list[str], book: Book) -> str:
    """``_headers``, as Netlify and Cloudflare read it: what the pages load, and nothing
    else, and what need not be asked for twice."""
    hashes = {
        f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        for text in texts
        for attributes, script in _SCRIPT.findall(text)
        if not _DATA.search(attributes)
    }
    policy = {
        "default-src": ["'none'"],
        "script-src": ["'self'", *sorted(hashes)],
        # Formulas carry lengths as attributes.
        "style-src-elem": ["'self'"],
        "style-src-attr": ["'unsafe-inline'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "worker-src": ["'self'"],
        "manifest-src": ["'self'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
    said = "; ".join(f"{name} {' '.join(of)}" for name, of in policy.items())
    below = urlsplit(book.address).path.rstrip("/")
    return "\n".join(
        (
            f"{below}/*",
            f"  Content-Security-Policy: {said}",
            "  X-Content-Type-Options: nosniff",
            "  Referrer-Policy: strict-origin-when-cross-origin",
            "  Cross-Origin-Opener-Policy: same-origin",
            "  Permissions-Policy: camera=(), geolocation=(), microphone=()",
            "# Their names change with their content.",
            f"{below}/assets/stylesheets/*",
            "  Cache-Control: public, max-age=31536000, immutable",
            "",
        )
    )
