"""Write pages at the former addresses of pages and sections, which lead on."""

import json
from collections import defaultdict
from collections.abc import Mapping
from html import escape
from pathlib import Path
from posixpath import relpath

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<meta name="robots" content="noindex">
<script>const places = {places}
location.replace(places[location.hash] || places[""].split("#")[0] + location.hash)
</script>
<meta http-equiv="refresh" content="0; url={link}">
</head>
<body><p>This page <a href="{link}">has moved</a>.</p></body>
</html>
"""


def write(site: Path, moved: Mapping[str, str]) -> None:
    """Write a page at each former address into a built site.

    Args:
        site: the built site.
        moved: new addresses by former ones, such as ``{"a/b/": "c/", "a/b/#d": "e/"}``.
            The sections of ``a/b/`` without a line of their own are those of ``c/``.

    Raises:
        ValueError: a moved page is still there, or it leads to no page or section.
    """
    sections: dict[str, dict[str, str]] = defaultdict(dict)
    for old, new in moved.items():
        page, _, anchor = new.partition("#")
        path = site / page / "index.html"
        text = path.read_text("utf-8") if path.is_file() else ""
        if page.startswith("/") or "<article" not in text:
            raise ValueError(f"moved: {old} leads to {new}, which is no page")
        if anchor and f'id="{anchor}"' not in text:
            raise ValueError(f"moved: {old} leads to {new}, which has no such section")
        former, mark, section = old.partition("#")
        sections[former][mark + section] = _link(former, new)
    for old, places in sections.items():
        path = site / old.strip("/") / "index.html"
        if "" not in places or path.exists():
            problem = "is a page, or has no line without a section"
            raise ValueError(f"moved: {old} {problem}")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = _PAGE.format(places=json.dumps(places), link=places[""])
        path.write_text(text, "utf-8")


def _link(old: str, new: str) -> str:
    page, mark, anchor = new.partition("#")
    return escape(f"{relpath(page.strip('/') or '.', old.strip('/'))}/{mark}{anchor}")
