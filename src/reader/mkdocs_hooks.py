"""The adapter to MkDocs: notebooks become pages like all others, and all pages are
searched.

Hooks need no entry point: ``mkdocs.yml`` names this file.
"""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import write_file

from reader import notebook, search, terms, typeface, versions
from serving import on_demand


def on_config(config: MkDocsConfig) -> None:
    if labs := config.plugins.get("mkdocs-jupyter"):
        labs.config["cache_dir"] = str(notebook.cache(_root(config)))


def on_files(files: Files, config: MkDocsConfig) -> None:
    """What is wrong in a file that many pages read is said once."""
    try:
        terms.load(Path(config.docs_dir))
        versions.load(Path(config.docs_dir))
    except (terms.GlossaryError, versions.ResultsError) as error:
        raise PluginError(str(error)) from error


@event_priority(50)  # before the formulas of the page are judged
def on_page_content(
    html: str, page: Page, config: MkDocsConfig, files: Files
) -> str | None:
    if notebook.MARK not in html:
        return None
    html = notebook.with_formulas(notebook.plain(html, _noise(_root(config))))
    # MkDocs reads these off Markdown; without them any anchor passes.
    page.present_anchor_ids = set(re.findall(r'\bid="([^"]+)"', html))
    return html


def on_env(env: object, config: MkDocsConfig, files: Files) -> None:
    """A page says in its front matter, as Material has it, that it is not searched, or
    that its words weigh less."""
    pages = [file.page for file in files.documentation_pages() if file.page]
    said = {page.url: _search(page) for page in pages}

    def write() -> None:
        for name, text in search.files(
            [
                search.Page(
                    page.url, page.content or "", said[page.url].get("boost", 1.0)
                )
                for page in pages
                if not said[page.url].get("exclude")
            ],
            [
                search.Page(page.url, page.content or "")
                for page in pages
                if said[page.url].get("messages")
            ],
        ).items():
            write_file(text.encode(), os.path.join(config.site_dir, name))

    on_demand.make("search", "search/", write)


def _search(page: Page) -> dict:
    """What a page says of its search."""
    said = page.meta.get("search", {})
    known: dict[str, Any] = {"boost": (int, float), "exclude": bool, "messages": bool}
    if isinstance(said, dict) and all(
        isinstance(value, known.get(name, ())) for name, value in said.items()
    ):
        return said
    raise PluginError(
        f"{page.file.src_path}: search is {said!r}; write search: {{boost: 0.5}},"
        " {exclude: true} or {messages: true}"
    )


def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)
    on_demand.make("typeface", "assets/fonts/text-", lambda: typeface.write(site))


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).resolve().parent


def _noise(root: Path) -> re.Pattern[str]:
    """The lines that are no part of any trace are no part of a cell's, either."""
    path = root / "pyproject.toml"
    said = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    noise = said.get("tool", {}).get("tracebook", {}).get("noise", ())
    return re.compile("|".join(noise) or "(?!)")
