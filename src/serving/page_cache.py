"""Cache rendered pages, and render a page again if anything that it reads changes.

The key of a page covers its text, MkDocs' options, the list of all files, and
everything else that Markdown extensions and plugins read. An extension module or a
plugin that reads more than the text defines ``cache_key(page, text, docs, root)``. It
returns the values it reads for that page, with a ``repr`` that differs whenever they
differ, or ``UNKNOWN`` if it can't tell. A page with an unknown key is rendered in each
build.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

UNKNOWN = None
"""Key of a page that can't be cached."""

_RENDERED = ("markdown", "content", "toc", "_title_from_render", "present_anchor_ids")
"""Attributes that rendering sets on MkDocs' page."""


@dataclass(frozen=True)
class _Rendering:
    """Result of rendering one page."""

    key: str
    values: Mapping[str, Any]
    meta: Mapping[str, Any]
    links: Mapping[str, dict[str, str]]
    """Links to anchors, by the path of the target page."""


class PageCache:
    """The latest rendering of each page."""

    def __init__(self) -> None:
        self._renderings: dict[str, _Rendering] = {}
        self._build: tuple[Files, str] | None = None
        """The files of the latest build, and what all of its pages depend on."""

    def wrap_populate(self, populate: Callable[..., None]) -> Callable[..., None]:
        """Return a cached version of MkDocs' function that renders one page."""

        def populate_or_restore(
            page: Page, config: MkDocsConfig, files: Files, dirty: bool = False
        ) -> None:
            path = page.file.src_uri
            key = self._key(page, config, files)
            cached = self._renderings.get(path)
            if cached and cached.key == key:
                _restore(page, cached, files)
                return
            populate(page, config, files, dirty)
            if key:
                values = {name: getattr(page, name) for name in _RENDERED}
                targets = page.links_to_anchors or {}
                links = {to.src_uri: anchors for to, anchors in targets.items()}
                self._renderings[path] = _Rendering(key, values, dict(page.meta), links)

        return populate_or_restore

    def _key(self, page: Page, config: MkDocsConfig, files: Files) -> str | None:
        path, text = page.file.src_uri, page.file.content_string
        if not path.endswith(".md"):
            return None  # mkdocs-jupyter has its own cache
        if self._build is None or self._build[0] is not files:
            self._build = files, _of_all_pages(config, files)
        root = Path(config.config_file_path).resolve().parent
        parts = [path, text, self._build[1]]
        for cache_key in _cache_keys(config):
            value = cache_key(path, text, Path(config.docs_dir), root)
            if value is UNKNOWN:
                return None
            parts.append(repr(value))
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _restore(page: Page, cached: _Rendering, files: Files) -> None:
    for name, value in cached.values.items():
        setattr(page, name, value)
    page.meta = dict(cached.meta)
    targets = {path: files.get_file_from_path(path) for path in cached.links}
    page.links_to_anchors = {
        file: cached.links[path] for path, file in targets.items() if file
    }


def _cache_keys(config: MkDocsConfig) -> Iterator[Callable]:
    """Return the functions ``cache_key`` of extensions and plugins."""
    # Markdown's own extensions have short names, and read only the text.
    modules = [
        import_module(name)
        for name in config.markdown_extensions
        if "." in name and ":" not in name
    ]
    for reader in (*modules, *config.plugins.values()):
        if cache_key := getattr(reader, "cache_key", None):
            yield cache_key


def _of_all_pages(config: MkDocsConfig, files: Files) -> str:
    """Return what every page may depend on; changed plugins need a restart."""
    options = config.markdown_extensions, config.mdx_configs, config.validation
    targets = [(file.src_uri, file.url, file.inclusion) for file in files]
    return repr((options, config.repo_url, targets))
