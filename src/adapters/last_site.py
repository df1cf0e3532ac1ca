"""Serve the site of the last time while MkDocs renders the next one."""

import contextlib
import shutil
import threading
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

_COPYING = threading.Lock()
# MkDocs' own server answers at the address livereload, and this one does not.
_NOTE = b"""<p style="position: fixed; bottom: 0; left: 0; right: 0; margin: 0;
 padding: 1em; background: #fe8; color: #000; font: 16px sans-serif; z-index: 9">
%s It is being rendered; this page reloads by itself.</p>
<script>setInterval(async () => {
  try { if ((await fetch("/livereload/0/0")).ok) location.reload() } catch {}
}, 500)</script>
"""
_OLD = _NOTE % b"The page as it was when it was last served."
_NONE = b"<!doctype html><title>Rendering</title>" + _NOTE % b"No page yet."


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *arguments: object, mount: str, **options: object) -> None:
        self._mount = mount
        super().__init__(*arguments, **options)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.path = "/" + self.path.removeprefix(self._mount).lstrip("/")
        path = Path(self.translate_path(self.path))
        page = path / "index.html" if path.is_dir() else path
        if self.path.startswith("/livereload/"):
            self.send_error(HTTPStatus.NOT_FOUND)
        elif page.suffix == ".html" or not page.exists():
            content = page.read_bytes() + _OLD if page.exists() else _NONE
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(content)
        else:
            super().do_GET()

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class LastSite:
    """A server of a folder, until MkDocs' own takes over its address."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        serve = server.serve_forever
        threading.Thread(target=serve, args=(0.05,), daemon=True).start()

    @classmethod
    def start(cls, address: tuple[str, int], url: str, site: Path) -> "LastSite":
        """Start a server.

        Raises:
            OSError: nothing can be served at the address.
        """
        handler = partial(_Handler, directory=str(site), mount=urlsplit(url).path)
        return cls(ThreadingHTTPServer((str(address[0]), address[1]), handler))

    def close(self) -> None:
        """Free the address."""
        self._server.shutdown()
        self._server.server_close()

    @staticmethod
    def keep(site: Path, copy: Path) -> None:
        """Keep a copy of a site for the next start. Files that this site makes only on
        demand stay as they were."""
        with _COPYING, contextlib.suppress(OSError):
            shutil.copytree(site, copy, dirs_exist_ok=True)
