"""Version the files that pages load, and remove the theme's scripts, which none loads.
Give each figure its size, so that no text moves when the figure arrives.

All addresses of these files get the same ``?v=…``, which changes with their content, so
that a browser never shows a new page with an old script. A script that loads another
one, or a part of the search index, passes its own version on. Scripts also lose their
comments.
"""

import re
import shutil
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

_COMMENTS = re.compile(r"^[ \t]*(?://.*)?\n|^[ \t]+", re.MULTILINE)
"""Comment lines, empty lines and indentation. So a string of a script can't continue on
a second line."""
_UNVERSIONED = ("stylesheets/", "images/")
"""Folders whose files have a hash in their names, or that no page loads."""
_LOADED = re.compile(
    r'(?P<before>\s(?:href|src)=")(?P<path>[^"?#:]*assets/'
    r'(?:[\w-]+\.(?:css|js)|fonts/[\w.-]+))(?=")'
)
_FIGURE = re.compile(r'<img (?=[^>]*\bsrc="(?P<path>[^"#:]*figures/[^"#:]+\.svg))')
_SIZE = re.compile(rb'<svg [^>]*width="([\d.]+)pt" height="([\d.]+)pt"')
_FONT = re.compile(r'(?<=url\(")fonts/[\w.-]+(?="\))')


def write(site: Path) -> None:
    """Complete a built site that has all files that its pages load."""
    shutil.rmtree(site / "assets/javascripts", ignore_errors=True)
    for path in site.glob("assets/*.js"):
        _rewrite(path, _COMMENTS, "")
    version = _version(site)
    for path in site.rglob("*.html"):
        _rewrite(path, _LOADED, rf"\g<before>\g<path>?v={version}")
        _rewrite(path, _FIGURE, partial(_with_size, path.parent))
    for path in site.glob("assets/*.css"):
        _rewrite(path, _FONT, rf"\g<0>?v={version}")


def _version(site: Path) -> str:
    """Return a digest of all files that pages and scripts load with it."""
    assets = site / "assets"
    paths = [
        path
        for path in sorted(assets.rglob("*"))
        if path.is_file()
        and not path.relative_to(assets).as_posix().startswith(_UNVERSIONED)
    ]
    digest = sha256()
    for folder in ("search", "snippets"):
        paths += sorted((site / folder).rglob("*.js"))
    for path in paths:
        digest.update(path.relative_to(site).as_posix().encode() + b"\0")
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:8]


def _with_size(folder: Path, start: re.Match[str]) -> str:
    """Return the start of an image with the size in pixels, if it is a figure."""
    figure = folder / start["path"]
    if not (figure.is_file() and (size := _SIZE.search(figure.read_bytes()))):
        return start[0]
    width, height = (round(float(points) * 4 / 3) for points in size.groups())
    return f'<img width="{width}" height="{height}" '


def _rewrite(path: Path, pattern: re.Pattern[str], replacement: str | Callable) -> None:
    text = path.read_text("utf-8")
    changed = pattern.sub(replacement, text)
    if changed != text:
        path.write_text(changed, "utf-8")
