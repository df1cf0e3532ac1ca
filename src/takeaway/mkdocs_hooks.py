"""The adapter to MkDocs: what is taken along is written beside the pages.

Hooks need no entry point: ``mkdocs.yml`` names this file.
"""

import os
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from serving import on_demand
from takeaway import book, exercises, offline
from tracebook import files as on_disk
from tracebook import settings

_pages: dict[str, Page] = {}
_addresses: dict[str, str] = {}
_serving = False


def on_startup(command: str, dirty: bool) -> None:
    global _serving
    _serving = command == "serve"


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    _pages.clear()
    _pages.update({page.file.src_uri: page for page in nav.pages})
    _addresses.clear()
    _addresses.update({file.src_uri: file.url for file in files})


def on_page_context(
    context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
) -> None:
    with_exercises = any(exercises.exercises(page.markdown or ""))
    there = exercises.address(page.file.src_uri) if with_exercises else ""
    context["exercises"] = there  # type: ignore[typeddict-unknown-key]
    context["has_notebook"] = book.has_programs(page.markdown or "")  # type: ignore[typeddict-unknown-key]


@event_priority(-200)  # when all else stands in the site's folder
def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)

    def write() -> None:
        for name, content in _book(config).files():
            on_disk.write(site / name, content)

    on_demand.make("takeaway", r".*\.(?:md|ipynb)$|llms|snippets/|exercises/", write)
    if not _serving:
        on_disk.write(site / offline.NAME, offline.archive(site))


def _book(config: MkDocsConfig) -> book.Book:
    folder, _ = os.path.split(os.path.abspath(config.config_file_path))
    snippets = settings.load(Path(folder)).snippets_dir
    programs = {
        path.relative_to(snippets).as_posix(): path.read_bytes()
        for path in on_disk.below(snippets)
        if path.suffix in (".py", ".out", ".md")
    }
    checker = Path(folder, "src")
    modules = [
        path for path in on_disk.below(checker / "vjpcheck") if path.suffix == ".py"
    ]
    site = config.site_url or ""
    return book.Book(
        config.site_name,
        config.site_description or "",
        [_page(page) for page in _pages.values() if page.file.src_uri.endswith(".md")],
        programs,
        lambda path: _addresses.get(path, path),
        f"{site.rstrip('/')}/" if site else "",
        {path.relative_to(checker).as_posix(): path.read_bytes() for path in modules},
    )


def _page(page: Page) -> book.Page:
    above = [*page.ancestors]
    section = str(above[-1].title) if above else ""
    return book.Page(
        page.file.src_uri,
        str(page.title),
        page.markdown or "",
        section,
        str(page.meta.get("description", "")),
        page.file.generated_by is not None,
    )
