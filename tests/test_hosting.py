"""Promise: the site works below a path and at the root of a domain."""

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, Response

from . import test_browser
from .conftest import ADDRESS
from .test_browser import CHAIN_RULE, DESKTOP

pytestmark = pytest.mark.browser
browser = test_browser.browser
PUBLISHED = urlsplit(ADDRESS).path
"""Path below which the site is built to be hosted."""
FIGURES = "guide/vjp/"


@contextmanager
def hosted(site: Path, path: str) -> Iterator[str]:
    """Host the site below ``path``."""

    class Host(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested = unquote(urlsplit(self.path).path)
            file = site / requested.removeprefix(path)
            if file.is_dir():
                file /= "index.html"
            exists = requested.startswith(path) and file.is_file()
            body = (file if exists else site / "404.html").read_bytes()
            self.send_response(200 if exists else 404)
            types = http.server.SimpleHTTPRequestHandler.extensions_map
            type_ = types.get(file.suffix, _TYPES.get(file.suffix, "text/html"))
            self.send_header("Content-Type", type_ if exists else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # A name stands for a domain.
        name = "127.0.0.1" if path != "/" else "localhost"
        try:
            yield f"http://{name}:{server.server_port}{path}"
        finally:
            server.shutdown()


_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
}


@contextmanager
def visitor(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """Open a page, and collect all its errors."""
    context = browser.new_context(viewport={"width": DESKTOP, "height": 800})
    context.set_default_timeout(10_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))

    # The browser aborts requests when it leaves a page.
    def on_failure(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":
            errors.append(f"{request.failure}: {request.url}")

    def on_response(response: Response) -> None:
        if not response.ok:
            errors.append(f"{response.status}: {response.url}")

    page.on("requestfailed", on_failure)
    page.on("response", on_response)
    try:
        yield page, errors
    finally:
        context.close()


@pytest.mark.parametrize("path", ["/x/y/", "/"])
def test_the_site_works_below_any_path(path, built_site, browser):
    with hosted(built_site, path) as address, visitor(browser) as (page, errors):
        page.goto(address, wait_until="networkidle")
        page.locator(f".md-nav a[href='{CHAIN_RULE}']").first.evaluate("a => a.click()")
        page.wait_for_url(address + CHAIN_RULE, wait_until="networkidle")
        page.evaluate("document.fonts.ready")
        assert page.evaluate("document.fonts.check('16px \"STIX Two Math\"')")
        page.goto(address + FIGURES, wait_until="networkidle")
        figures = page.locator("article img").all()
        for figure in figures:
            figure.evaluate(
                "image => { image.loading = 'eager'; return image.decode() }"
            )
        assert figures
        page.keyboard.press("/")
        page.locator("input[name=query]").press_sequentially("unbroadcast")
        page.wait_for_function(
            """start => [...document.querySelectorAll("ol a")]
                .some(a => a.checkVisibility() && a.href.startsWith(start))""",
            arg=f"{address}guide/broadcasting/",
        )
        page.wait_for_load_state("networkidle")
        assert errors == []


WRONG_ADDRESSES = {
    "lessons/chain-rule/": "lessons/chain_rule/",
    "chainrule.html": "lessons/chain_rule/",
    "guide/brodcasting/": "guide/broadcasting/",
    "tutorial/vector_jacobian_product": "guide/vjp/",
    "mistakes/silent/values": "mistakes/silent_values/",
}


def test_a_wrong_address_links_to_the_most_similar_page(built_site, browser):
    with hosted(built_site, PUBLISHED) as address, visitor(browser) as (page, errors):
        for wrong, right in WRONG_ADDRESSES.items():
            page.goto(address + wrong)
            first = page.locator("#alike a").first
            assert first.evaluate("a => a.href") == address + right, wrong
        page.get_by_role("button", name="Search for its words").click()
        search = page.locator("input[name=query]")
        assert search.input_value() == "values" and search.is_visible()
        page.goto(address + "zzz/")
        assert not page.locator("#alike").is_visible()
        assert [error for error in errors if "404" not in error] == []


def test_a_wrong_address_lists_all_pages_without_a_script(built_site, browser):
    with hosted(built_site, PUBLISHED) as address:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(address + "lessons/chain-rule/")
        links = page.locator(".there a").all()
        assert len(links) > 50 and all(link.is_visible() for link in links)
        assert re.search("Lessons", page.locator("h2").first.inner_text())
        context.close()
