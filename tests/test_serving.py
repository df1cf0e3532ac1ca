"""Promise: while serving, a page that changed nowhere isn't rendered again, and no page
is shown as it was before something that it rests on changed."""

import json
import logging
import os
import queue
import re
import sys
import threading
import xml.etree.ElementTree as etree
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands import build
from mkdocs.config import load_config
from mkdocs.structure.pages import Page
from mkdocs.theme import Theme
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers.polling import PollingObserver

from serving import watching
from serving.memo import Memo
from serving.templates import kept

from .project import edit

pytestmark = pytest.mark.tools

CONFIG = """\
site_name: A book
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
  - reader.versions
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
"""
GLOSSARY = """\
# Words

known gradient { #known }

:   The first meaning.
"""


class Book:
    """A book that is built again and again, as a server does."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root = root
        self.rendered: list[str] = []
        self.filled: list[str] = []
        memo = Memo()
        render = Page.render

        def counting(page: Page, *given: Any) -> None:
            self.rendered.append(page.file.src_uri)
            render(page, *given)

        monkeypatch.setattr(Page, "render", counting)
        monkeypatch.setattr(
            build, "_populate_page", memo.populating(build._populate_page)
        )
        monkeypatch.setattr(Theme, "get_env", kept(Theme.get_env))
        self._memo = memo

    def __call__(self) -> dict[str, str]:
        """Build it, and read the text of each page."""
        self.rendered.clear()
        config = load_config(
            str(self._root / "mkdocs.yml"), site_dir=str(self._root / "site")
        )
        plugin = config.plugins["tracebook"]
        plugin.on_startup(command="build", dirty=False)
        memo = self._memo

        class Hook:
            def on_nav(self, nav, config, files):
                self.nav = nav

            def on_env(self, env, config, files):
                return memo.environment(env, self.nav, config)

        hook = Hook()
        config.plugins.events["nav"].append(hook.on_nav)
        config.plugins.events["env"].append(hook.on_env)
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
def book(tmp_path, monkeypatch):
    for name, text in {
        "mkdocs.yml": CONFIG,
        "pyproject.toml": "[tool.tracebook]\n",
        "docs/index.md": PAGE,
        "docs/other.md": "# Another\n\n## Below\n\nText.\n",
        "docs/glossary.md": GLOSSARY,
        "docs/site.css": "",
        "docs/versions.json": json.dumps({"programs": {}, "results": []}),
        "overrides/main.html": '{% extends "base.html" %}',
        "snippets/index/one.py": "print('first program')\n",
        "snippets/index/one.out": "first trace\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(logging.getLogger("mkdocs"), "propagate", True)
    return Book(tmp_path, monkeypatch)


def test_what_did_not_change_is_not_rendered_again(book, tmp_path):
    first = book()
    assert len(book.rendered) == 3
    assert book() == first and not book.rendered
    edit(tmp_path / "docs/other.md", "Text.", "Another text.")
    assert "Another text." in book()["other/index.html"]
    assert book.rendered == ["other.md"]


EDITS = {
    "the page": ("docs/index.md", "It has", "It still has", "It still has"),
    "a program": ("snippets/index/one.py", "first", "second", "second program"),
    "a trace": ("snippets/index/one.out", "first", "second", "second trace"),
    "a term": ("docs/glossary.md", "first meaning", "second sense", "second sense"),
    "another form": ("docs/glossary.md", "known gr", "has { #h }\n\n:   x\n\nknown gr", "#h"),
    "other versions": (
        "docs/versions.json",
        '{"programs": {}, "results": []}',
        '{"programs": {"index/one.py": "DIGEST"}, "results": [{"tensorflow": "9.9",'
        ' "python": "3.11.7", "problems": {}, "untried": []}]}',
        "TensorFlow 9.9 on",
    ),
    "the menu": ("mkdocs.yml", "other.md, W", "Menu: other.md, W", "Menu"),
    "an option": ("mkdocs.yml", "permalink: true", "permalink: '+'", ">+</a>"),
    "the name": ("mkdocs.yml", "A book", "A new book", "A new book"),
    "a template": (
        "overrides/main.html",
        "%}",
        "%}{% block announce %}Announced{% endblock %}",
        "Announced",
    ),
    "the title of the next page": ("docs/other.md", "# Another", "# Renamed", "Renamed"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_a_page_changes_with_what_it_rests_on(book, tmp_path, name):
    path, old, new, shown = EDITS[name]
    if "DIGEST" in new:
        from reader.versions import digest

        new = new.replace("DIGEST", digest("print('first program')", "first trace"))
    before = book()["index.html"]
    assert shown not in before
    edit(tmp_path / path, old, new)
    os.utime(tmp_path / path, ns=(1, 1))
    after = book()
    assert shown in after["index.html"]
    # And as it would be without a memory.
    for path_, text in _anew(tmp_path).items():
        assert after[path_] == text, path_


def _anew(root: Path) -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        book = Book(root, patch)
        patch.setattr(Memo, "_key", lambda *_: None)
        return book()


def test_a_link_leads_to_a_page_that_is_moved_or_gone(book, tmp_path, caplog):
    book()
    (tmp_path / "docs/other.md").rename(tmp_path / "docs/third.md")
    edit(tmp_path / "mkdocs.yml", "other.md", "third.md")
    book()
    assert "contains a link 'other.md#below', but the target is not found" in re.sub(
        r" 'other.md'(?= is)", "", caplog.text
    )
    caplog.clear()
    book()  # it is said as long as it holds
    assert "contains a link 'other.md#below'" in caplog.text
    edit(tmp_path / "docs/index.md", "other.md#below", "third.md#below")
    assert 'href="third/#below"' in book()["index.html"]


def test_what_another_thread_logs_meanwhile_is_said_once(book, caplog, monkeypatch):
    """Such as the engine's answer, which comes while pages are rendered."""
    caplog.set_level(logging.INFO)
    render = Page.render

    def rendering(page: Page, *given: Any) -> None:
        answer = logging.getLogger("mkdocs.plugins.tracebook").info
        thread = threading.Thread(target=answer, args=("7 snippets, 1 run",))
        thread.start()
        thread.join()
        render(page, *given)

    monkeypatch.setattr(Page, "render", rendering)
    book()
    assert "7 snippets, 1 run" in caplog.text
    caplog.clear()
    book()
    assert "7 snippets, 1 run" not in caplog.text


def test_a_heading_that_is_linked_to_is_renamed(book, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    book()
    assert "anchor" not in caplog.text
    edit(
        tmp_path / "mkdocs.yml",
        "plugins",
        "validation: {links: {anchors: warn}}\nplugins",
    )
    book()
    edit(tmp_path / "docs/other.md", "## Below", "## Above")
    book()
    assert book.rendered == ["other.md"]
    assert "does not contain an anchor '#below'" in caplog.text


def test_a_page_has_a_stamp_as_long_as_the_results_say_so(book, tmp_path, monkeypatch):
    from truth.ledger import signs

    lines: list[str] = []

    def stamp(page: object, known: object) -> list[etree.Element]:
        elements = [etree.Element("p") for _ in lines]
        for element, line in zip(elements, lines):
            element.text = line
        return elements

    monkeypatch.setattr(signs, "_stamp", stamp)
    monkeypatch.setattr(signs.Results, "is_whole", lambda *_: bool(lines))
    assert "Checked" not in book()["index.html"]
    lines.append("Checked.")
    assert "Checked" in book()["index.html"]
    lines.clear()
    assert "Checked" not in book()["index.html"]


def test_a_rendered_page_reads_nothing_else(book, tmp_path):
    """Every file of the book that is opened while pages are rendered, by whoever, is
    one of which a test above says that the page changes with it."""
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
        seen: set[str] = set()

        def noting(*given: Any) -> None:
            opened.clear()
            populate(*given)
            seen.update(opened)

        build._populate_page = noting  # type: ignore[assignment]
        book()
    finally:
        build._populate_page = populate
        listening.clear()
    known = {path for path, *_ in EDITS.values()}
    assert seen <= known | {"pyproject.toml"}, seen - known


def test_what_is_gone_takes_no_memory(book, tmp_path):
    for number in range(5):
        (tmp_path / f"docs/page{number}.md").write_text("# Page\n")
        book()
        (tmp_path / f"docs/page{number}.md").unlink()
    book._memo.forget_all_but({"index.md"})
    assert book._memo._rendered.keys() == book._memo._shown.keys() == {"index.md"}


class _Seen(FileSystemEventHandler):
    def __init__(self) -> None:
        self.files: queue.Queue = queue.Queue()

    def on_any_event(self, event: FileSystemEvent) -> None:
        self.files.put(event.src_path)


def test_where_no_change_is_told_all_is_looked_through(monkeypatch, tmp_path):
    """As on a system that can watch no more folders."""

    def refuse(self: object) -> None:
        raise OSError("no more watches")

    monkeypatch.setattr(watching.Observer, "start", refuse)
    observer, seen = PollingObserver(timeout=0.1), _Seen()
    observer.schedule(seen, str(tmp_path), recursive=True)
    watching.hasten(observer)
    observer.start()
    try:
        (tmp_path / "file").write_text("new")
        assert seen.files.get(timeout=10) == str(tmp_path / "file")
    finally:
        observer.stop()


@pytest.mark.parametrize("path", ["folder", "folder/below/file"])
def test_a_change_is_looked_for_when_it_is_told(path, tmp_path):
    """MkDocs' observer would look after a minute here. An edit may replace a file."""
    file = tmp_path / "folder/below/file"
    file.parent.mkdir(parents=True)
    file.write_text("as it was")
    observer, seen = PollingObserver(timeout=60), _Seen()
    observer.schedule(seen, str(tmp_path / path), recursive=True)
    watching.hasten(observer)
    observer.start()
    try:
        for text in ("one", "another", "a third"):
            edit(file, file.read_text(), text)
            while seen.files.get(timeout=10) != str(file):
                pass
    finally:
        observer.stop()
