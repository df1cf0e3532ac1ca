"""Promise: what pages load is what they need, and may be kept by a browser until it
changes."""

import re
from pathlib import Path

import pytest

from reader import assets

from . import built
from .project import ROOT

PAGE = """<link rel="stylesheet" href="../assets/stylesheets/main.484c.min.css">
<link rel="stylesheet" href="../assets/site.css">
<link rel="preload" href="../assets/fonts/a.woff2" as="font">
<script src="../assets/trace.js" defer></script>
<a href="../assets/logo.svg">An address that others may link</a>
"""
FILES = {
    "page/index.html": PAGE,
    "assets/site.css": '@font-face { src: url("fonts/a.woff2") format("woff2"); }',
    "assets/trace.js": "{\n  // why\n\n  trace(`a // ${b}`) // now\n}\n",
    "assets/logo.svg": "<svg/>",
    "assets/fonts/a.woff2": "font",
    "assets/javascripts/bundle.79ae.min.js": "run()",
    "assets/javascripts/lunr/min/lunr.de.min.js": "lunr()",
    "assets/javascripts/workers/search.b0.min.js": "search()",
    "assets/stylesheets/main.484c.min.css": "a{}\n/*# sourceMappingURL=m.css.map */",
    "assets/stylesheets/main.484c.min.css.map": "{}",
    "search/sections.js": "searched()",
    "search/words/0.js": "searched()",
    "snippets/a.live.js": "live()",
    "_headers": "/below/*\n  X: y\n",
}


def finished(root: Path, **changed: str) -> dict[str, str]:
    """The files of a small site, completed."""
    for name, text in (FILES | changed).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assets.write(root)
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_each_own_file_is_asked_for_with_one_version(tmp_path):
    site = finished(tmp_path)
    page = site["page/index.html"]
    [version] = {*re.findall(r"\?v=(\w+)", page)}
    for name in ("site.css", "trace.js", "fonts/a.woff2"):
        assert f'"../assets/{name}?v={version}"' in page
    assert f'url("fonts/a.woff2?v={version}")' in site["assets/site.css"]
    for name in ("main.484c.min.css", "logo.svg"):
        assert f'{name}"' in page, "has a hash in its name, or is no part of a page"


@pytest.mark.parametrize(
    "name", ["assets/site.css", "assets/fonts/a.woff2", "search/words/0.js",
             "snippets/a.live.js"],
)  # fmt: skip
def test_the_version_changes_with_whatever_is_loaded(name, tmp_path):
    pages = [
        finished(tmp_path / str(n), **{name: FILES[name] + " " * n})["page/index.html"]
        for n in (0, 0, 1)
    ]
    assert pages[0] != pages[2]
    assert finished(tmp_path / "again")["page/index.html"] == pages[0]


def test_what_no_page_asks_for_is_gone(tmp_path):
    site = finished(tmp_path)
    gone = {*FILES} - {*site}
    assert gone == {
        "assets/javascripts/bundle.79ae.min.js",
        "assets/javascripts/lunr/min/lunr.de.min.js",
        "assets/javascripts/workers/search.b0.min.js",
        "assets/stylesheets/main.484c.min.css.map",
    }
    assert not (tmp_path / "assets/javascripts").exists()
    assert "sourceMapping" not in "".join(site.values())


def test_a_script_has_no_lines_of_comments_and_no_indentation(tmp_path):
    assert finished(tmp_path)["assets/trace.js"] == "{\ntrace(`a // ${b}`) // now\n}\n"


def test_no_text_of_a_script_goes_on_in_a_second_line():
    """Its indentation would be lost. What a template computes may go on."""
    for path in (ROOT / "docs/assets").glob("*.js"):
        is_open = False
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line.count("`") % 2:
                is_open = not is_open
                end = line.rpartition("`")[2]
                computes = end.count("${") > end.count("}")
                assert computes or not is_open, f"{path.name}:{number}"


def test_hosts_are_told_which_files_never_change(tmp_path):
    said = finished(tmp_path)["_headers"]
    kept = re.findall(r"^(/.+)\n  Cache-Control: .*immutable$", said, re.MULTILINE)
    files = ("assets/fonts/*", "search/*", "assets/site.css", "assets/trace.js")
    assert kept == [f"/below/{each}" for each in files]
    assert said.startswith(FILES["_headers"])


def test_the_site_has_nothing_that_nobody_asks_for(built_site):
    there = [path.relative_to(built_site) for path in built_site.rglob("*")]
    unused = (".map", "assets/javascripts", "page.png")
    assert not [path for path in there if path.as_posix().endswith(unused)]
    for path in built.built_pages(built_site):
        text = path.read_text("utf-8")
        loaded = re.findall(
            r'(?:href|src)="[^":]*assets/[\w/-]+\.(?:css|js)[^"]*"', text
        )
        assert all("?v=" in each for each in loaded), path
        assert len(loaded) > 2 or "<article" not in text, path
