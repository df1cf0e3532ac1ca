"""Promise: while serving, an unchanged page isn't rendered again, and a page is rendered
again whenever something that it depends on changed."""

import json
import logging
import os
import re
import sys
import xml.etree.ElementTree as etree
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands import build
from mkdocs.config import load_config
from mkdocs.structure.pages import Page

from serving.page_cache import PageCache

from .project import edit

pytestmark = pytest.mark.tools

CONFIG = """\
site_name: A site
nav: [index.md, other.md, Words: glossary.md]
theme: {name: material, custom_dir: overrides}
extra_css: [site.css]
plugins: [tracebook]
markdown_extensions:
  - attr_list
  - def_list
  - toc: {permalink: true}
  - pymdownx.highlight
  - pymdownx.snippets: {base_path: [snippets], check_paths: false}
  - pymdownx.superfences
  - reader.terms
  - reader.programs
  - truth.ledger.signs
"""
PAGE = """\
# A page

It has a known gradient, and [a link](other.md#below).

```python title="one.py"
--8<-- "index/one.py"
```

```text title="prints"
--8<-- "index/one.out"
```

```python title="one.jax.py"
--8<-- "index/one.jax.py"
```

```text title="prints"
--8<-- "index/one.jax.out"
```
"""
RUNS = {"day": "2001-02-03", "versions": {"jax": "JAX 9.8"}, "programs": {}}
GLOSSARY = """\
# Words

known gradient { #known }

:   The first meaning.
"""


class Site:
    """A site that is built again and again, as a server does."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root = root
        self.rendered: list[str] = []
        self.cache = PageCache()
        render = Page.render

        def record_and_render(page: Page, *args: Any) -> None:
            self.rendered.append(page.file.src_uri)
            render(page, *args)

        monkeypatch.setattr(Page, "render", record_and_render)
        monkeypatch.setattr(
            build, "_populate_page", self.cache.wrap_populate(build._populate_page)
        )

    def build(self) -> dict[str, str]:
        """Build the site, and return the text of each page."""
        self.rendered.clear()
        config = load_config(
            str(self._root / "mkdocs.yml"), site_dir=str(self._root / "site")
        )
        plugin = config.plugins["tracebook"]
        plugin.on_startup(command="build", dirty=False)
        config.plugins.events["post_build"].clear()  # programs need not run
        try:
            build.build(config)
        finally:
            plugin.on_shutdown()
        return {
            path.relative_to(self._root / "site").as_posix(): path.read_text()
            for path in (self._root / "site").rglob("*.html")
        }


@pytest.fixture
def site(tmp_path, monkeypatch):
    for name, text in {
        "mkdocs.yml": CONFIG,
        "pyproject.toml": "[tool.tracebook]\n",
        "docs/index.md": PAGE,
        "docs/other.md": "# Another\n\n## Below\n\nText.\n",
        "docs/glossary.md": GLOSSARY,
        "docs/site.css": "",
        "frameworks/runs.json": json.dumps(RUNS),
        "snippets/index/one.jax.py": "print('a twin')\n",
        "snippets/index/one.jax.out": "a twin\n",
        "overrides/main.html": '{% extends "base.html" %}',
        "snippets/index/one.py": "print('first program')\n",
        "snippets/index/one.out": "first trace\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(logging.getLogger("mkdocs"), "propagate", True)
    return Site(tmp_path, monkeypatch)


def test_an_unchanged_page_is_not_rendered_again(site, tmp_path):
    first = site.build()
    assert len(site.rendered) == 3
    assert site.build() == first and not site.rendered
    edit(tmp_path / "docs/other.md", "Text.", "Another text.")
    assert "Another text." in site.build()["other/index.html"]
    assert site.rendered == ["other.md"]


EDITS = {
    "the page": ("docs/index.md", "It has", "It still has", "It still has"),
    "a program": ("snippets/index/one.py", "first", "second", "second program"),
    "a trace": ("snippets/index/one.out", "first", "second", "second trace"),
    "a twin": ("snippets/index/one.jax.py", "a twin", "another", "another"),
    "its trace": ("snippets/index/one.jax.out", "a twin", "another", "another"),
    "a term": ("docs/glossary.md", "first meaning", "second sense", "second sense"),
    "another form": ("docs/glossary.md", "known gr", "has { #h }\n\n:   x\n\nknown gr", "#h"),
    "other versions": (
        "frameworks/runs.json",
        "JAX 9.8",
        "JAX 9.9",
        "Ran on 2001-02-03 with JAX 9.9.",
    ),
    "the menu": ("mkdocs.yml", "other.md, W", "Menu: other.md, W", "Menu"),
    "an option": ("mkdocs.yml", "permalink: true", "permalink: '+'", ">+</a>"),
    "the name": ("mkdocs.yml", "A site", "A new site", "A new site"),
    "a template": (
        "overrides/main.html",
        "%}",
        "%}{% block announce %}Announced{% endblock %}",
        "Announced",
    ),
    "the title of the next page": ("docs/other.md", "# Another", "# Renamed", "Renamed"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_a_page_changes_with_its_dependencies(site, tmp_path, name):
    path, old, new, shown = EDITS[name]
    before = site.build()["index.html"]
    assert shown not in before
    edit(tmp_path / path, old, new)
    os.utime(tmp_path / path, ns=(1, 1))
    after = site.build()
    assert shown in after["index.html"]
    # And as it would be without a cache.
    for uncached, text in _build_uncached(tmp_path).items():
        assert after[uncached] == text, uncached


def _build_uncached(root: Path) -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        site = Site(root, patch)
        patch.setattr(PageCache, "_key", lambda *_: None)
        return site.build()


def test_a_link_to_a_renamed_page_is_reported(site, tmp_path, caplog):
    site.build()
    (tmp_path / "docs/other.md").rename(tmp_path / "docs/third.md")
    edit(tmp_path / "mkdocs.yml", "other.md", "third.md")
    site.build()
    assert "contains a link 'other.md#below', but the target is not found" in re.sub(
        r" 'other.md'(?= is)", "", caplog.text
    )
    edit(tmp_path / "docs/index.md", "other.md#below", "third.md#below")
    assert 'href="third/#below"' in site.build()["index.html"]


def test_a_renamed_heading_is_reported_on_the_page_that_links_to_it(
    site, tmp_path, caplog
):
    caplog.set_level(logging.INFO)
    site.build()
    assert "anchor" not in caplog.text
    edit(
        tmp_path / "mkdocs.yml",
        "plugins",
        "validation: {links: {anchors: warn}}\nplugins",
    )
    site.build()
    edit(tmp_path / "docs/other.md", "## Below", "## Above")
    site.build()
    assert site.rendered == ["other.md"]
    assert "does not contain an anchor '#below'" in caplog.text


def test_the_stamp_of_a_page_follows_the_results(site, tmp_path, monkeypatch):
    from truth.ledger import signs

    lines: list[str] = []

    def stamp(page: object, known: object) -> list[etree.Element]:
        elements = [etree.Element("p") for _ in lines]
        for element, line in zip(elements, lines):
            element.text = line
        return elements

    monkeypatch.setattr(signs, "_stamp", stamp)
    monkeypatch.setattr(signs.Results, "is_complete", lambda *_: bool(lines))
    assert "Checked" not in site.build()["index.html"]
    lines.append("Checked.")
    assert "Checked" in site.build()["index.html"]
    lines.clear()
    assert "Checked" not in site.build()["index.html"]


def test_rendering_opens_no_files_but_the_dependencies(site, tmp_path):
    """A test above changes each file that is opened while pages are rendered."""
    opened: set[str] = set()
    listening = [True]

    def listen(event: str, arguments: tuple) -> None:
        if listening and event == "open" and isinstance(arguments[0], str | Path):
            path = Path(arguments[0])
            if path.is_relative_to(tmp_path):
                opened.add(path.relative_to(tmp_path).as_posix())

    sys.addaudithook(listen)
    try:
        populate = build._populate_page
        opened_by_pages: set[str] = set()

        def record_and_populate(*args: Any) -> None:
            opened.clear()
            populate(*args)
            opened_by_pages.update(opened)

        build._populate_page = record_and_populate  # type: ignore[assignment]
        site.build()
    finally:
        build._populate_page = populate
        listening.clear()
    tested = {path for path, *_ in EDITS.values()} | {"pyproject.toml"}
    assert opened_by_pages <= tested, opened_by_pages - tested
