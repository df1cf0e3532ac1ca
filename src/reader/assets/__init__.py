"""The files that pages load: what nobody asks for goes, scripts lose their comments,
and the addresses change when the content does, so that a browser may keep them.

One version stands for all of them, as ``?v=…``. A script that loads another one, or a
part of the search, passes its own version on.
"""

import re
import shutil
from hashlib import sha256
from pathlib import Path

_NAMES_ITS_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=\S*(?: ?\*/)?\s*\Z")
_UNREAD = re.compile(r"^[ \t]*(?://.*)?\n|^[ \t]+", re.MULTILINE)
"""Of a script: lines of comments, empty lines, and how the others are indented. So no
text of a script may go on in a second line."""
_THEME = ("stylesheets/", "images/", "cards/")
"""Folders whose files have a hash in their names, or are no part of a page."""
_LOADED = re.compile(
    r'(?P<before>\s(?:href|src)=")(?P<path>[^"?#:]*assets/'
    r'(?:[\w-]+\.(?:css|js)|fonts/[\w.-]+))(?=")'
)
_FONT = re.compile(r'(?<=url\(")fonts/[\w.-]+(?="\))')


def write(site: Path) -> None:
    """Complete a built site; all that its pages load must be there."""
    _leave_out(site)
    for path in site.glob("assets/*.js"):
        _rewrite(path, _UNREAD, "")
    own = _own(site)
    version = _version(site, own)
    for path in site.rglob("*.html"):
        _rewrite(path, _LOADED, rf"\g<before>\g<path>?v={version}")
    for path in own:
        if path.suffix == ".css":
            _rewrite(path, _FONT, rf"\g<0>?v={version}")
    _keep(site, own)


def _leave_out(site: Path) -> None:
    """The theme's scripts, for which the site has its own, and all source maps."""
    shutil.rmtree(site / "assets/javascripts", ignore_errors=True)
    for path in [*site.glob("assets/**/*.map")]:
        path.unlink()
    for path in site.glob("assets/*s/*.min.*"):
        _rewrite(path, _NAMES_ITS_MAP, "\n")


def _own(site: Path) -> list[Path]:
    """The files of the site's own that have no hash in their names."""
    assets = site / "assets"
    found = [
        path
        for path in assets.rglob("*")
        if path.is_file() and not path.relative_to(assets).as_posix().startswith(_THEME)
    ]
    return sorted([*found, *site.glob("search/**/*.js")])


def _version(site: Path, own: list[Path]) -> str:
    """Of all that a page, or a script on it, loads with this version."""
    made_from = sha256()
    for path in (*own, *sorted(site.glob("snippets/**/*.js"))):
        made_from.update(path.relative_to(site).as_posix().encode() + b"\0")
        made_from.update(sha256(path.read_bytes()).digest())
    return made_from.hexdigest()[:8]


def _keep(site: Path, own: list[Path]) -> None:
    """Have a host that reads ``_headers`` tell browsers to keep these files."""
    headers = site / "_headers"
    if not headers.exists():
        return
    text = headers.read_text("utf-8")
    below = re.findall(r"^(/\S*?)/\*$|^/\*$", text, re.MULTILINE)[0]
    # A host may read a hundred rules only, and the search has many parts.
    folders = {"assets/fonts", "search"}
    names = [path.relative_to(site).as_posix() for path in own]
    loaded = [*(f"{each}/*" for each in sorted(folders))] + [
        name
        for name in names
        if name.endswith((".css", ".js")) and not name.startswith((*folders,))
    ]
    rules = (
        f"{below}/{path}\n  Cache-Control: public, max-age=31536000, immutable\n"
        for path in loaded
    )
    headers.write_text(
        f"{text}# Pages ask for them with a version.\n{''.join(rules)}", "utf-8"
    )


def _rewrite(path: Path, pattern: re.Pattern[str], by: str) -> None:
    text = path.read_text("utf-8")
    changed = pattern.sub(by, text)
    if changed != text:
        path.write_text(changed, "utf-8")
