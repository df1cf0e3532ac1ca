"""Make files when a browser requests them, once after each rebuild."""

import re
import threading
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from mkdocs.livereload import LiveReloadServer

_lock = threading.RLock()
"""Held while the site is rebuilt or a file is made."""
_makers: dict[str, tuple[re.Pattern[str], Callable[[], object]]] = {}
_due: set[str] = set()
"""Names of makers that haven't run since the last rebuild."""
_is_serving = False
"""True from the end of the first build on."""


def make(name: str, paths: str, maker: Callable[[], object]) -> None:
    """Make files on request, or at once if no site is served.

    Args:
        name: Name of the maker. It replaces an earlier maker of that name.
        paths: Regular expression. The first request for a path in the site whose
            beginning matches it runs the maker.
        maker: Function that writes the files.
    """
    if not _is_serving:
        maker()
        return
    _makers[name] = re.compile(paths), maker
    _due.add(name)


def serve(server: LiveReloadServer) -> None:
    """Wrap a server so that it makes files on request from now on."""
    global _is_serving
    build: Callable[..., None] = server.builder
    respond: Callable[..., Iterable[bytes]] = server.serve_request
    mount = urlsplit(server.url).path

    def locked_build(*args: Any) -> None:
        with _lock:
            build(*args)

    def make_and_respond(environ: dict, start: Callable) -> Iterable[bytes]:
        path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
        if not path.startswith("/livereload/"):
            with _lock:
                _run_makers(path.removeprefix(mount).lstrip("/"))
        return respond(environ, start)

    server.builder = locked_build
    server.set_app(make_and_respond)
    _is_serving = True


def _run_makers(path: str) -> None:
    for name in [*_due]:
        paths, maker = _makers[name]
        if paths.match(path):
            maker()
            _due.discard(name)
