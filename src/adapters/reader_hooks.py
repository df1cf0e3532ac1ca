"""MkDocs hooks that rewrite notebook pages, and index all pages for the search."""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import write_file

from reader import notebook, search, typeface, versions
from serving import on_demand
from tracebook import files as on_disk
from tracebook import settings

_TEXTS = (".css", ".html", ".js", ".json", ".md", ".py", ".svg", ".txt", ".xml", ".yml")
_MERGE = re.compile(r"^<{7} .*^={7}$.*^>{7} ", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> None:
    if labs := config.plugins.get("mkdocs-jupyter"):
        labs.config["cache_dir"] = str(notebook.cache_folder(_root(config)))


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Report a damaged file once, although many pages read it."""
    try:
        versions.load(_root(config))
        for folder in filter(None, (config.docs_dir, config.theme.custom_dir)):
            _demand_texts(Path(folder), _root(config))
    except (versions.ResultsError, OSError) as error:
        raise PluginError(str(error)) from error


def _demand_texts(folder: Path, root: Path) -> None:
    """Raise OSError for a file that isn't UTF-8, or that a merge left undecided."""
    for path in on_disk.below(folder):
        if path.suffix in _TEXTS:
            text = on_disk.text(path, label := os.path.relpath(path, root))
            if mark := _MERGE.search(text):
                line = text.count("\n", 0, mark.start()) + 1
                raise OSError(f"{label}:{line}: has a merge's marks; keep one side")


@event_priority(50)  # before the formulas of the page are checked
def on_page_content(
    html: str, page: Page, config: MkDocsConfig, files: Files
) -> str | None:
    if notebook.MARK not in html:
        return None
    html = notebook.simplified(html, _noise(_root(config)))
    html = notebook.with_formulas(html)
    # MkDocs reads ids from Markdown only, and would accept any anchor.
    page.present_anchor_ids = set(re.findall(r'\bid="([^"]+)"', html))
    return html


def on_env(env: object, config: MkDocsConfig, files: Files) -> None:
    pages = [file.page for file in files.documentation_pages() if file.page]
    options = {page.url: _search_options(page) for page in pages}

    def write() -> None:
        indexed = [
            search.IndexedPage(
                page.url,
                page.content or "",
                options[page.url].get("boost", 1.0),
                str(page.meta.get("description", "")),
            )
            for page in pages
        ]
        index = search.files(
            [page for page in indexed if not options[page.address].get("exclude")],
            [page for page in indexed if options[page.address].get("messages")],
        )
        for name, text in index.items():
            write_file(text.encode(), os.path.join(config.site_dir, name))

    on_demand.make("search", "search/", write)


def _search_options(page: Page) -> dict:
    """Return the options for the search in the front matter of a page."""
    options = page.meta.get("search", {})
    types: dict[str, Any] = {"boost": (int, float), "exclude": bool, "messages": bool}
    if isinstance(options, dict) and all(
        isinstance(value, types.get(name, ())) for name, value in options.items()
    ):
        return options
    raise PluginError(
        f"{page.file.src_path}: search is {options!r}; write search: {{boost: 0.5}},"
        " {exclude: true} or {messages: true}"
    )


def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)
    on_demand.make("typeface", "assets/fonts/text-", lambda: typeface.write(site))


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).resolve().parent


def _noise(root: Path) -> re.Pattern[str]:
    """Return the pattern of lines that traces leave out, none without settings."""
    has_settings = (root / "pyproject.toml").exists()
    return settings.load(root).noise_pattern if has_settings else re.compile("(?!)")
