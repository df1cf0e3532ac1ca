"""Promise: search engines, previews and reports get the right data of each page;
old addresses lead on, and addresses are absolute only if the site's is known."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as etree

import pytest
import yaml
from lxml import html
from mkdocs.utils import meta

from reader import redirects
from reader.history import History

from . import built
from .conftest import ADDRESS
from .project import ROOT

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
LONGEST = 160
"""The number of characters that a description has at most."""
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


class Head:
    """The head of a built page, and the line below its text."""

    def __init__(self, path: Path, site: Path) -> None:
        document: Any = html.fromstring(path.read_text("utf-8"))
        folder = path.parent.relative_to(site).as_posix()
        self.address = ADDRESS + ("" if folder == "." else f"{folder}/")
        self.meta = {
            meta.get("property") or meta.get("name"): meta.get("content")
            for meta in document.iter("meta")
        }
        self.links = {
            kind: link.get("href")
            for link in document.iter("link")
            for kind in link.get("rel").split()
        }
        self.last_lines = document.find_class("beside")


@pytest.fixture(scope="module")
def pages(built_site) -> list[Head]:
    return [
        Head(path, built_site)
        for path in sorted(built_site.rglob("index.html"))
        if "<article" in path.read_text("utf-8")
    ]


def test_each_page_has_a_description_of_its_own(pages):
    descriptions = [page.meta["description"] for page in pages]
    assert len({*descriptions}) == len(pages) >= len(built.PAGES)
    for description in descriptions:
        assert 50 <= len(description) <= LONGEST, description
        assert not re.search(r"[\\$<>]|\s\s|\u2060", description), description


DESCRIPTIONS = {
    path.relative_to(ROOT / "docs").as_posix(): str(
        meta.get_data(path.read_text("utf-8"))[1].get("description", "")
    )
    for path in built.PAGES
    if path.name != "ledger.md"
}
"""The description of each page whose source is in the project."""
EACH = pytest.mark.parametrize("page", DESCRIPTIONS)
_QUESTION = re.compile(
    r"(?:How|What|Which|Where|When|Why|Do|Does|Can|In which|With which)\b[^?]*\?"
)
_NUMBER_WORDS = ("two", "three", "four", "five", "eight", "ten", "twelve")


@EACH
def test_a_description_names_the_question_that_its_page_answers(page):
    """A question claims nothing that needs a check. Its numbers are on the page."""
    description = DESCRIPTIONS[page]
    assert _QUESTION.match(description), description
    assert 90 <= len(description) <= LONGEST, description
    text, _ = meta.get_data((ROOT / "docs" / page).read_text("utf-8"))
    words = {*re.findall(r"[\w.]+", text.lower().replace("**", ""))}
    numbers = [
        word.strip(".")
        for word in re.findall(r"[\w.]+", description.lower())
        if word[0].isdigit() or word.strip(".") in _NUMBER_WORDS
    ]
    assert {*numbers} <= {*words, *(word.strip(".") for word in words)}


def test_no_page_shares_its_description():
    assert len({*DESCRIPTIONS.values()}) == len(DESCRIPTIONS) > 60


def test_all_lists_of_pages_have_the_descriptions(pages, built_site):
    """The head of the page, and the list for language models."""
    llms = (built_site / "llms.txt").read_text("utf-8")
    by_address = {page.address.removeprefix(ADDRESS): page for page in pages}
    for name, description in DESCRIPTIONS.items():
        address = re.sub(
            r"(?:^|(?<=/))index\.md$|\.md$", lambda m: "/" * (m[0] == ".md"), name
        )
        assert by_address[address].meta["description"] == description, name
        assert f"({ADDRESS}{name}): {description}\n" in llms, name


def test_previews_show_the_page(pages, built_site):
    for page in pages:
        assert page.meta["og:description"] == page.meta["description"]
        assert page.meta["og:url"] == page.links["canonical"] == page.address
        assert page.meta["twitter:card"] == "summary_large_image"
        assert page.meta["og:image"] == f"{ADDRESS}assets/card.png"
    assert len({page.meta["og:title"] for page in pages}) > 0.9 * len(pages)
    assert (built_site / "assets/card.png").stat().st_size < 60_000


def test_each_page_has_its_date_and_versions(pages):
    for page in pages:
        [last_line] = page.last_lines
        [date] = last_line.iter("time")
        assert re.fullmatch(MOMENT, date.get("datetime"))
        assert "Built with TensorFlow " in last_line.text_content()


def test_the_site_map_links_to_every_page(pages, built_site):
    addresses = {page.address for page in pages}
    assert f"Sitemap: {ADDRESS}sitemap.xml\n" in (built_site / "robots.txt").read_text()
    urls: Any = etree.parse(built_site / "sitemap.xml").getroot()
    assert {url.findtext(f"{SITEMAP}loc") for url in urls} == addresses
    for url in urls:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", url.findtext(f"{SITEMAP}lastmod"))


def _site(root: Path, **pages: str) -> Path:
    """Write a site as any generator could have built it."""
    for name, body in pages.items():
        path = root / "site" / name.replace("_", "/").replace("home", ".")
        path.mkdir(parents=True, exist_ok=True)
        (path / "index.html").write_text(
            "<!doctype html><html><head><title>T</title></head><body><article>"
            f"<h1>{name}</h1><p>{body}</p></article></body></html>"
        )
    return root / "site"


def _git(root: Path, *command: str, day: int = 1) -> None:
    environment = {
        **os.environ,
        "GIT_COMMITTER_DATE": f"2001-01-{day:02}T00:00:00Z",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    author = ["-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run(
        ["git", *author, *command],
        cwd=root,
        env=environment,
        check=True,
        capture_output=True,
    )


def test_a_page_changed_when_its_text_or_its_programs_did(tmp_path, monkeypatch):
    _git(tmp_path, "init", "--quiet")
    for day, name in enumerate(
        ("docs/part/one.md", "docs/home.md", "snippets/part/one/wrong/a.py"), 1
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
        _git(tmp_path, "add", name)
        _git(tmp_path, "commit", "--quiet", "-m", f"Change {day}", day=day)
    history = History(tmp_path, ("docs", "snippets"))
    last = history.last("docs/part/one.md", "snippets/part/one")
    assert last.day == "2001-01-03"
    assert history.last("docs/part/one.md").day == "2001-01-01"
    assert len(history.revision) == 40
    (tmp_path / "docs/ledger.md").write_text("made by a build")
    assert history.last("docs/ledger.md") == last, "with all others"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    without_git = History(tmp_path / "elsewhere", ("docs",))
    assert without_git.last("docs/home.md").moment == "1970-01-02T00:00:00Z"


def _lost(root: Path, moved: dict[str, str]) -> set[str]:
    """Return the former addresses of pages that lead nowhere today."""
    log = subprocess.run(
        ["git", "log", "--format=", "--name-only", "--no-renames", "--", "docs"],
        cwd=root, text=True, stdout=subprocess.PIPE, check=True,
    ).stdout  # fmt: skip
    gone = {
        name.removeprefix("docs/")
        for name in log.split("\n")
        if name.endswith(".md") and not (root / name).exists()
    }
    return {re.sub(r"(index)?\.md$", "/", name).lstrip("/") for name in gone} - {*moved}


def test_every_former_address_of_a_page_leads_somewhere():
    if not (ROOT / ".git").exists():
        pytest.skip("no history here")
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    extra = yaml.safe_load(re.search(r"^extra:.*\n(?: .*\n)*", config, re.M)[0])
    assert _lost(ROOT, extra["extra"].get("moved", {})) == set()


def test_the_old_address_of_a_page_leads_to_its_new_one(tmp_path):
    _git(tmp_path, "init", "--quiet")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/old.md").write_text("old")
    _git(tmp_path, "add", "docs")
    _git(tmp_path, "commit", "--quiet", "-m", "Old")
    (tmp_path / "docs/old.md").rename(tmp_path / "docs/new.md")
    assert _lost(tmp_path, {}) == {"old/"}
    moved = {"old/": "part/new/", "old/#a": "#b"}
    assert _lost(tmp_path, moved) == set()
    site = _site(tmp_path, home='First.<i id="b">b</i>', part_new="Second.")
    redirects.write(site, moved)
    page: Any = html.fromstring((site / "old/index.html").read_text("utf-8"))
    [link] = page.iter("a")
    assert (site / "old" / link.get("href")).resolve() == site / "part/new"
    assert '{"": "../part/new/", "#a": "../#b"}' in page.findtext(".//script")
    for wrong in (
        {"old/": "gone/"},
        {"part/new/": ""},
        {"/part/new/": ""},
        {"old/#a": ""},
        {"old/": "#no-section"},
    ):
        with pytest.raises(ValueError, match="moved: "):
            redirects.write(_site(tmp_path, home="First.", part_new="Second."), wrong)


def test_a_report_fills_in_the_form():
    """GitHub ignores a field that the form doesn't have."""
    template = (ROOT / "overrides/partials/beside.html").read_text("utf-8")
    fields = {*re.findall(r'"(\w+)": ', template)} - {"template", "title"}
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/mistake.yml").read_text())
    assert fields == {"page", "versions", "revision"}
    assert fields <= {each["id"] for each in form["body"]}
