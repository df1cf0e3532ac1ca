"""MkDocs hooks that cache rendered pages while serving."""

from typing import Any

from mkdocs.commands import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer

from serving import on_demand
from serving.page_cache import PageCache

_cache: PageCache | None = None


def on_startup(command: str, dirty: bool) -> None:
    global _cache
    if command == "serve" and _cache is None:
        _cache = PageCache()
        # MkDocs has no event that runs before the others and can skip them.
        build._populate_page = _cache.wrap_populate(build._populate_page)


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Any) -> None:
    on_demand.serve(server)
