"""Version the files that pages load, and remove the ones that no page loads.

All addresses of these files get the same ``?v=…``, which changes with their content, so
that browsers may cache them. A script that loads another one, or a part of the search
index, passes its own version on. Scripts also lose their comments.
"""

import re
import shutil
from hashlib import sha256
from pathlib import Path

_SOURCE_MAP_LINK = re.compile(r"\n?(?://|/\*)# sourceMappingURL=\S*(?: ?\*/)?\s*\Z")
_COMMENTS = re.compile(r"^[ \t]*(?://.*)?\n|^[ \t]+", re.MULTILINE)
"""Comment lines, empty lines and indentation. So a string of a script can't continue on
a second line."""
_UNVERSIONED = ("stylesheets/", "images/", "cards/")
"""Folders whose files have a hash in their names, or that no page loads."""
_LOADED = re.compile(
    r'(?P<before>\s(?:href|src)=")(?P<path>[^"?#:]*assets/'
    r'(?:[\w-]+\.(?:css|js)|fonts/[\w.-]+))(?=")'
)
_FONT = re.compile(r'(?<=url\(")fonts/[\w.-]+(?="\))')
_CACHED_FOLDERS = ("assets/fonts", "search")
"""Folders with one rule each, because a host may read only a hundred rules."""


def write(site: Path) -> None:
    """Complete a built site that has all files that its pages load."""
    _remove_unused(site)
    for path in site.glob("assets/*.js"):
        _rewrite(path, _COMMENTS, "")
    versioned = _versioned(site)
    version = _version(site, versioned)
    for path in site.rglob("*.html"):
        _rewrite(path, _LOADED, rf"\g<before>\g<path>?v={version}")
    for path in versioned:
        if path.suffix == ".css":
            _rewrite(path, _FONT, rf"\g<0>?v={version}")
    _add_cache_rules(site, versioned)


def _remove_unused(site: Path) -> None:
    """Remove the theme's scripts, which the site replaces, and all source maps."""
    shutil.rmtree(site / "assets/javascripts", ignore_errors=True)
    for path in [*site.glob("assets/**/*.map")]:
        path.unlink()
    for path in site.glob("assets/*s/*.min.*"):
        _rewrite(path, _SOURCE_MAP_LINK, "\n")


def _versioned(site: Path) -> list[Path]:
    """Return the files that have no hash in their names."""
    assets = site / "assets"
    paths = [
        path
        for path in assets.rglob("*")
        if path.is_file()
        and not path.relative_to(assets).as_posix().startswith(_UNVERSIONED)
    ]
    return sorted([*paths, *site.glob("search/**/*.js")])


def _version(site: Path, versioned: list[Path]) -> str:
    """Return a digest of all files that pages and scripts load with it."""
    digest = sha256()
    for path in (*versioned, *sorted(site.glob("snippets/**/*.js"))):
        digest.update(path.relative_to(site).as_posix().encode() + b"\0")
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:8]


def _add_cache_rules(site: Path, versioned: list[Path]) -> None:
    """Let browsers cache these files, if the host reads ``_headers``."""
    headers = site / "_headers"
    if not headers.exists():
        return
    text = headers.read_text("utf-8")
    root = re.findall(r"^(/\S*?)/\*$|^/\*$", text, re.MULTILINE)[0]
    names = [path.relative_to(site).as_posix() for path in versioned]
    patterns = [f"{folder}/*" for folder in _CACHED_FOLDERS] + [
        name
        for name in names
        if name.endswith((".css", ".js")) and not name.startswith(_CACHED_FOLDERS)
    ]
    rules = (
        f"{root}/{pattern}\n  Cache-Control: public, max-age=31536000, immutable\n"
        for pattern in patterns
    )
    headers.write_text(
        f"{text}# Pages ask for them with a version.\n{''.join(rules)}", "utf-8"
    )


def _rewrite(path: Path, pattern: re.Pattern[str], replacement: str) -> None:
    text = path.read_text("utf-8")
    changed = pattern.sub(replacement, text)
    if changed != text:
        path.write_text(changed, "utf-8")
