"""Draw README's picture: the page on the chain rule, as a browser shows it.

Usage: make build, then .venv/bin/python .ci/picture.py
"""

import functools
import http.server
import shutil
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


handler = functools.partial(Quiet, directory=ROOT / "site")
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 720, "height": 1240})
        page.goto(f"http://127.0.0.1:{server.server_port}/lessons/chain_rule/")
        page.evaluate("document.fonts.ready")
        page.get_by_role("heading", name="Snippet and trace").evaluate(
            "heading => scrollTo(0, heading.offsetTop - 330)")
        page.wait_for_timeout(500)
        page.screenshot(path=ROOT / "docs/assets/page.png")
        browser.close()
    server.shutdown()
