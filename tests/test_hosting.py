"""Promise: the site works wherever it is put, below a path or at the root of a domain,
under the headers that it brings along."""

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
"""Below which path the site is built to be."""
FIGURES = "guide/vjp/"


def _headers(site: Path) -> dict[str, list[tuple[str, str]]]:
    """What ``_headers`` says, by pattern."""
    rules: dict[str, list[tuple[str, str]]] = {}
    for line in (site / "_headers").read_text("utf-8").splitlines():
        if line.startswith("/"):
            pattern = line
            rules[pattern] = []
        elif line.startswith("  "):
            name, _, value = line.strip().partition(": ")
            rules[pattern].append((name, value))
    return rules


@contextmanager
def hosted(site: Path, path: str) -> Iterator[str]:
    """A host that has the site below ``path`` and obeys its headers."""
    rules = _headers(site)

    class Host(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = unquote(urlsplit(self.path).path)
            file = site / asked.removeprefix(path)
            if file.is_dir():
                file /= "index.html"
            there = asked.startswith(path) and file.is_file()
            body = (file if there else site / "404.html").read_bytes()
            self.send_response(200 if there else 404)
            guess = http.server.SimpleHTTPRequestHandler.extensions_map
            kind = guess.get(file.suffix, _KINDS.get(file.suffix, "text/html"))
            self.send_header("Content-Type", kind if there else "text/html")
            as_built = PUBLISHED + asked.removeprefix(path)
            for pattern, headers in rules.items():
                if as_built.startswith(pattern.removesuffix("*")):
                    for header in headers:
                        self.send_header(*header)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # A name, for a domain of one's own.
        name = "127.0.0.1" if path != "/" else "localhost"
        try:
            yield f"http://{name}:{server.server_port}{path}"
        finally:
            server.shutdown()


_KINDS = {
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
    """A page, and all that goes wrong on it."""
    context = browser.new_context(viewport={"width": DESKTOP, "height": 800})
    context.set_default_timeout(10_000)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(f"{page.url}: {said.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))

    # What a visitor who goes on no longer needs is given up.
    def on_failure(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":
            wrong.append(f"{request.failure}: {request.url}")

    def on_response(answer: Response) -> None:
        if not answer.ok:
            wrong.append(f"{answer.status}: {answer.url}")

    page.on("requestfailed", on_failure)
    page.on("response", on_response)
    try:
        yield page, wrong
    finally:
        context.close()


@pytest.mark.parametrize("path", ["/x/y/", "/"])
def test_the_site_works_below_any_path_under_its_policy(path, built_site, browser):
    with hosted(built_site, path) as address, visitor(browser) as (page, wrong):
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
        assert wrong == []


def test_what_the_policy_does_not_name_does_not_run(built_site, browser):
    with hosted(built_site, "/") as address, visitor(browser) as (page, wrong):
        page.goto(address, wait_until="networkidle")
        page.evaluate(
            """() => {
                const script = document.createElement("script")
                script.textContent = "document.title = 'run'"
                document.head.append(script)
            }"""
        )
        assert page.title() != "run"
        assert any("Content Security Policy" in said for said in wrong)


LOST = {
    "lessons/chain-rule/": "lessons/chain_rule/",
    "chainrule.html": "lessons/chain_rule/",
    "guide/brodcasting/": "guide/broadcasting/",
    "tutorial/vector_jacobian_product": "guide/vjp/",
    "mistakes/silent/values": "mistakes/silent_values/",
}


def test_a_lost_address_leads_to_the_pages_most_like_it(built_site, browser):
    with hosted(built_site, PUBLISHED) as address, visitor(browser) as (page, wrong):
        for lost, wanted in LOST.items():
            page.goto(address + lost)
            first = page.locator("#alike a").first
            assert first.evaluate("a => a.href") == address + wanted, lost
        page.get_by_role("button", name="Search for its words").click()
        search = page.locator("input[name=query]")
        assert search.input_value() == "values" and search.is_visible()
        page.goto(address + "zzz/")
        assert not page.locator("#alike").is_visible()
        assert [said for said in wrong if "404" not in said] == []


def test_a_lost_address_lists_the_pages_without_a_script(built_site, browser):
    with hosted(built_site, PUBLISHED) as address:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(address + "lessons/chain-rule/")
        shown = page.locator(".there a").all()
        assert len(shown) > 50 and all(link.is_visible() for link in shown)
        assert re.search("Lessons", page.locator("h2").first.inner_text())
        context.close()
