"""Promise: a page loads its styles, scripts and fonts in the version of its build, and
the site has no scripts that no page loads."""

import json
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
    "assets/stylesheets/main.484c.min.css": "a{}",
    "search/sections.js": "searched()",
    "search/words/0.js": "searched()",
    "snippets/a.live.js": "live()",
}


def finished(root: Path, **changed: str) -> dict[str, str]:
    """Return the files of a small site after ``assets.write``."""
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


def test_all_files_are_loaded_with_the_same_version(tmp_path):
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
def test_the_version_changes_with_each_loaded_file(name, tmp_path):
    pages = [
        finished(tmp_path / str(n), **{name: FILES[name] + " " * n})["page/index.html"]
        for n in (0, 0, 1)
    ]
    assert pages[0] != pages[2]
    assert finished(tmp_path / "again")["page/index.html"] == pages[0]


def test_a_figure_has_its_size_before_it_is_loaded(tmp_path):
    image = '<img loading="lazy" alt="A curve." src="../figures/a.svg#only-light">'
    svg = '<?xml version="1.0"?>\n<svg xmlns="x" width="338.4pt" height="201.6pt"/>'
    files = {"page/index.html": image, "figures/a.svg": svg}
    page = finished(tmp_path, **files)["page/index.html"]
    assert page == image.replace("<img", '<img width="451" height="269"')


def test_files_that_no_page_loads_are_removed(tmp_path):
    site = finished(tmp_path)
    removed = {*FILES} - {*site}
    assert removed == {
        "assets/javascripts/bundle.79ae.min.js",
        "assets/javascripts/lunr/min/lunr.de.min.js",
        "assets/javascripts/workers/search.b0.min.js",
    }
    assert not (tmp_path / "assets/javascripts").exists()


def test_a_script_has_no_lines_of_comments_and_no_indentation(tmp_path):
    assert finished(tmp_path)["assets/trace.js"] == "{\ntrace(`a // ${b}`) // now\n}\n"


def test_no_string_of_a_script_continues_on_a_second_line():
    """It would lose its indentation. An expression in a template may continue."""
    for path in (ROOT / "docs/assets").glob("*.js"):
        is_open = False
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line.count("`") % 2:
                is_open = not is_open
                end = line.rpartition("`")[2]
                computes = end.count("${") > end.count("}")
                assert computes or not is_open, f"{path.name}:{number}"


def test_the_lines_of_outputs_have_one_order_whichever_program_ends_first(built_site):
    script = (built_site / "assets/lines.js").read_text("utf-8")
    names = [*json.loads(script.removeprefix("printedBy="))]
    assert len(names) > 100 and names == sorted(names)


def test_the_site_has_no_unused_files(built_site):
    paths = [path.relative_to(built_site) for path in built_site.rglob("*")]
    unused = ("assets/javascripts", "page.png")
    assert not [path for path in paths if path.as_posix().endswith(unused)]
    for path in built.built_pages(built_site):
        text = path.read_text("utf-8")
        loaded = re.findall(
            r'(?:href|src)="[^":]*assets/[\w/-]+\.(?:css|js)[^"]*"', text
        )
        assert all("?v=" in each for each in loaded), path
        assert len(loaded) > 2 or "<article" not in text, path
