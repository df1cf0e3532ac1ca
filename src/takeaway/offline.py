"""The site as one archive that opens from a file, without a server or a network."""

import re
from pathlib import Path

from tracebook import files

from .book import zipped

NAME = "site.zip"
_LEFT = (
    NAME,
    "404.html",
    "sitemap.*",
    "robots.txt",
    "changes.xml",
    "_headers",
    "assets/cards/*",
)
"""What is of use on a server only."""
_TAG = re.compile(r"<(?:a|link)\s[^>]*>")
_FOLDER = re.compile(r'(?<=\shref=")(?P<path>(?:[^"#?:]*/)?(?:\.\.?)?)(?=["#?])')
# A browser preloads nothing from a file.
_GONE = re.compile(rf'<a href="[^"]*{NAME}"[^>]*>.*?</a>|<link rel="preload"[^>]*>')


def archive(site: Path) -> bytes:
    """The files of a site whose links name files, in a folder of their own."""
    packed = {}
    for path in files.below(site):
        if not any(path.match(pattern) for pattern in _LEFT):
            content = path.read_bytes()
            if path.suffix == ".html":
                content = from_a_file(content.decode()).encode()
            packed[f"site/{path.relative_to(site).as_posix()}"] = content
    return zipped(packed)


def from_a_file(html: str) -> str:
    """A page whose links to folders lead to the pages that a server shows there."""
    linked = _TAG.sub(lambda tag: _FOLDER.sub(_page, tag[0]), html)
    return _GONE.sub("", linked)


def _page(folder: re.Match[str]) -> str:
    path = folder["path"]
    return f"{path}{'' if path.endswith('/') else '/'}index.html" if path else ""
