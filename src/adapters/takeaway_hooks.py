"""MkDocs hooks that write the downloads beside the pages."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from serving import on_demand
from takeaway import downloads, exercises
from tracebook import files as on_disk
from tracebook import settings

_pages: list[Page] = []
_addresses: dict[str, str] = {}


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    global _pages, _addresses
    _pages = [page for page in nav.pages if page.file.src_uri.endswith(".md")]
    _addresses = {file.src_uri: file.url for file in files}


def on_page_context(
    context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
) -> None:
    has_exercises = any(exercises.find(page.markdown or ""))
    address = exercises.address(page.file.src_uri) if has_exercises else ""
    context["exercises"] = address  # type: ignore[typeddict-unknown-key]
    context["has_notebook"] = downloads.has_programs(page.markdown or "")  # type: ignore[typeddict-unknown-key]


@event_priority(-200)
def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)

    def write() -> None:
        for name, content in _downloads(config).files():
            on_disk.write(site / name, content)

    on_demand.make("takeaway", r".*\.(?:md|ipynb)$|llms|snippets/|exercises/", write)


def _downloads(config: MkDocsConfig) -> downloads.Downloads:
    root = Path(config.config_file_path).absolute().parent
    address = config.site_url or ""
    snippets = settings.load(root).snippets_dir
    return downloads.Downloads(
        name=config.site_name,
        description=config.site_description or "",
        pages=[_source_page(page) for page in _pages],
        programs=_contents(snippets, snippets, (".py", ".out", ".md")),
        address=lambda path: _addresses.get(path, path),
        site=f"{address.rstrip('/')}/" if address else "",
        checker=_contents(root / "src", root / "src/vjpcheck", (".py",)),
    )


def _contents(root: Path, folder: Path, suffixes: tuple[str, ...]) -> dict[str, bytes]:
    """Return the files below a folder, by their paths below a root."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in on_disk.below(folder)
        if path.suffix in suffixes
    }


def _source_page(page: Page) -> downloads.SourcePage:
    ancestors = [*page.ancestors]
    return downloads.SourcePage(
        path=page.file.src_uri,
        title=str(page.title),
        markdown=page.markdown or "",
        section=str(ancestors[-1].title) if ancestors else "",
        description=str(page.meta.get("description", "")),
        is_generated=page.file.generated_by is not None,
    )
