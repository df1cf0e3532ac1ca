"""MkDocs hooks that cache rendered pages while serving."""

from typing import Any

from mkdocs.commands import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.theme import Theme

from serving import on_demand, templates, watching
from serving.page_cache import PageCache

_cache: PageCache | None = None
_nav: Navigation


def on_startup(command: str, dirty: bool) -> None:
    global _cache
    if command == "serve" and _cache is None:
        _cache = PageCache()
        # MkDocs has no event that runs before the others and can skip them.
        build._populate_page = _cache.wrap_populate(build._populate_page)
        Theme.get_env = templates.cached(Theme.get_env)  # type: ignore


@event_priority(-100)
def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    global _nav
    _nav = nav


@event_priority(-100)
def on_env(env: Any, config: MkDocsConfig, files: Files) -> Any:
    if _cache is None:
        return env
    _cache.drop_all_but({file.src_uri for file in files.documentation_pages()})
    return _cache.environment(env, _nav, config)


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Any) -> None:
    on_demand.serve(server)
    watching.scan_on_events(server.observer)
