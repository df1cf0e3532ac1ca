"""Files that are made when a browser asks for them, once after each rebuild."""

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
_server: LiveReloadServer | None = None


def make(name: str, paths: str, maker: Callable[[], object]) -> None:
    """Have files made as soon as one is asked for whose path in the site begins with
    the expression ``paths``; at once, as long as no site is served.

    Of two makers with one name the second counts.
    """
    if _server is None:
        maker()
        return
    _makers[name] = re.compile(paths), maker
    _due.add(name)


def is_serving() -> bool:
    return _server is not None


def rebuild() -> None:
    """Build the site again for the one who asks, without a reload of browsers."""
    if _server:
        _server.builder()


def serve(server: LiveReloadServer) -> None:
    """From now on, make files when they are asked for."""
    global _server
    build: Callable[..., None] = server.builder
    answer: Callable[..., Iterable[bytes]] = server.serve_request
    mount = urlsplit(server.url).path

    def building(*given: Any) -> None:
        with _lock:
            build(*given)

    def answering(environ: dict, start: Callable) -> Iterable[bytes]:
        path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
        if not path.startswith("/livereload/"):
            with _lock:
                _make_what_is_due(path.removeprefix(mount).lstrip("/"))
        return answer(environ, start)

    server.builder = building
    server.set_app(answering)
    _server = server


def _make_what_is_due(path: str) -> None:
    for name in [*_due]:
        paths, maker = _makers[name]
        if paths.match(path):
            maker()
            _due.discard(name)
