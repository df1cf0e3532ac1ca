"""Pack the site into one archive that opens from a file, without a server."""

import re
from pathlib import Path

from tracebook import files

from .downloads import zipped

NAME = "site.zip"
_SERVER_ONLY = (NAME, "404.html", "sitemap.*", "robots.txt")
_TAG = re.compile(r"<(?:a|link)\s[^>]*>")
_FOLDER = re.compile(r'(?<=\shref=")(?P<path>(?:[^"#?:]*/)?(?:\.\.?)?)(?=["#?])')
# A browser preloads nothing from a file.
_REMOVED = re.compile(rf'<a href="[^"]*{NAME}"[^>]*>.*?</a>|<link rel="preload"[^>]*>')


def archive(site: Path) -> bytes:
    """Return an archive of a built site, in which links to folders name files."""
    packed = {}
    for path in files.below(site):
        if not any(path.match(pattern) for pattern in _SERVER_ONLY):
            content = path.read_bytes()
            if path.suffix == ".html":
                content = _with_file_links(content.decode()).encode()
            packed[f"site/{path.relative_to(site).as_posix()}"] = content
    return zipped(packed)


def _with_file_links(html: str) -> str:
    linked = _TAG.sub(lambda tag: _FOLDER.sub(_index_page, tag[0]), html)
    return _REMOVED.sub("", linked)


def _index_page(folder: re.Match[str]) -> str:
    path = folder["path"]
    return f"{path}{'' if path.endswith('/') else '/'}index.html" if path else ""
