"""Make the files beside the pages: for robots, old links and the host."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from posixpath import relpath
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree as etree

from .built_page import BuiltPage
from .history import Change
from .project import Project

_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
_DATA = re.compile(r'\bsrc=|\btype="?application/json')


def robots(project: Project) -> str:
    """Return ``robots.txt``."""
    lines = ["User-agent: *", "Allow: /"]
    if project.address:
        lines += ["", f"Sitemap: {project.address}sitemap.xml"]
    return "\n".join([*lines, ""])


def sitemap(pages: list[tuple[BuiltPage, Change | None]], project: Project) -> bytes:
    """Return the site map of pages, with the day of their last change."""
    root = etree.Element("urlset", xmlns=_SITEMAP)
    for page, change in pages:
        url = etree.SubElement(root, "url")
        etree.SubElement(url, "loc").text = project.address + quote(page.address)
        if change:
            etree.SubElement(url, "lastmod").text = change.day
    etree.indent(root)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def redirect(old: str, places: dict[str, str], project: Project) -> str:
    """Return a page at an old address that leads to the same section at a new one.

    Args:
        old: the former address of a page, for example ``a/b/``.
        places: new addresses by anchor, for example ``{"": "a/d/", "#c": "e/#c"}``.
            Sections without one are those of the page at ``""``.
        project: gives the address of the site.
    """
    new = places[""]

    def link(target: str) -> str:
        page, mark, anchor = target.partition("#")
        path = relpath(page.strip("/") or ".", old.strip("/"))
        return escape(f"{path}/{mark}{anchor}")

    links = json.dumps({anchor: link(place) for anchor, place in places.items()})
    page = quote(new.partition("#")[0])
    canonical = (
        f'<link rel="canonical" href="{escape(project.address + page)}">\n'
        if project.address
        else ""
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<title>This page has moved</title>\n<meta name="robots" content="noindex">\n'
        f"{canonical}"
        f"<script>const places = {links}\n"
        "location.replace(places[location.hash]"
        ' || places[""].split("#")[0] + location.hash)</script>\n'
        f'<meta http-equiv="refresh" content="0; url={link(new)}">\n</head>\n'
        f'<body><p>This page <a href="{link(new)}">has moved</a>.</p></body>\n</html>\n'
    )


def headers(texts: list[str], project: Project) -> str:
    """Return ``_headers``, which Netlify and Cloudflare read.

    Its policy allows the inline scripts in the HTML of the pages, and the site's files.
    """
    hashes = {
        f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        for text in texts
        for attributes, script in _SCRIPT.findall(text)
        if not _DATA.search(attributes)
    }
    own = "style-src-elem font-src connect-src worker-src manifest-src base-uri"
    policy = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", *sorted(hashes)]),
        "style-src-attr": "'unsafe-inline'",  # formulas have lengths there
        "img-src": "'self' data:",
        **dict.fromkeys([*own.split(), "form-action"], "'self'"),
        "frame-ancestors": "'none'",
    }
    directives = "; ".join(map(" ".join, policy.items()))
    root = urlsplit(project.address).path.rstrip("/")
    return "\n".join(
        (
            f"{root}/*",
            f"  Content-Security-Policy: {directives}",
            "  X-Content-Type-Options: nosniff",
            "  Referrer-Policy: strict-origin-when-cross-origin",
            "  Cross-Origin-Opener-Policy: same-origin",
            "  Permissions-Policy: camera=(), geolocation=(), microphone=()",
            "# Their names change with their content.",
            f"{root}/assets/stylesheets/*",
            "  Cache-Control: public, max-age=31536000, immutable",
            "",
        )
    )
