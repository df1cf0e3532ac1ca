"""The adapter to MkDocs: while serving, each part of a build is asked whether it is
needed.

Hooks need no entry point: ``mkdocs.yml`` names this file.
"""

from typing import Any

from mkdocs.commands import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.theme import Theme

from serving import on_demand, templates, watching
from serving.memo import Memo

_memo: Memo | None = None
_nav: Navigation


def on_startup(command: str, dirty: bool) -> None:
    global _memo
    if command == "serve" and _memo is None:
        _memo = Memo()
        # No event of MkDocs comes before the others and may leave them out.
        build._populate_page = _memo.populating(build._populate_page)
        Theme.get_env = templates.kept(Theme.get_env)  # type: ignore


@event_priority(-100)
def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    global _nav
    _nav = nav


@event_priority(-100)
def on_env(env: Any, config: MkDocsConfig, files: Files) -> Any:
    if _memo is None:
        return env
    _memo.forget_all_but({file.src_uri for file in files.documentation_pages()})
    return _memo.environment(env, _nav, config)


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Any) -> None:
    on_demand.serve(server)
    watching.hasten(server.observer)
