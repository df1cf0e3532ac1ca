"""Promise: search engines, previews and reports get the right data of each page;
old addresses lead on, and addresses are absolute only if the site's is known."""

import os
import re
import subprocess
from base64 import b64encode
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as etree

import pytest
import yaml
from lxml import html
from mkdocs.utils import meta
from PIL import Image, ImageColor

from reader import metadata
from reader.metadata import files, forge
from reader.metadata.built_page import LONGEST
from reader.metadata.history import History
from reader.metadata.project import Project

from . import built
from .conftest import ADDRESS
from .project import ROOT

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
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


def test_previews_show_the_card_of_the_page(pages, built_site):
    cards = set()
    for page in pages:
        assert page.meta["og:description"] == page.meta["description"]
        assert page.meta["og:url"] == page.links["canonical"] == page.address
        assert page.meta["twitter:card"] == "summary_large_image"
        path = built_site / page.meta["og:image"].removeprefix(ADDRESS)
        png = path.read_bytes()
        assert Image.open(BytesIO(png)).size == (1200, 630)
        assert len(png) < 60_000, path
        cards.add(png)
    assert len(cards) == len(pages)


def test_a_card_has_the_formula_with_its_factors_in_their_colors(built_site):
    card = Image.open(built_site / "assets/cards/lessons/chain_rule.png").convert("RGB")
    css = (ROOT / "docs/assets/site.css").read_text("utf-8")
    below = card.crop((0, 100, *card.size))  # below the bars in these colors
    colors = {color for _, color in below.getcolors(1000)}
    for role in ("upstream", "local", "downstream"):
        color = re.search(rf"--{role}: (#\w+);", css)[1]
        assert ImageColor.getrgb(color) in colors, role


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
    style = root / "site/assets/site.css"
    style.parent.mkdir(parents=True, exist_ok=True)
    style.write_text((ROOT / "docs/assets/site.css").read_text("utf-8"))
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


def test_without_an_address_nothing_is_absolute(tmp_path):
    site = _site(tmp_path, home="First.", part_one="Second.")
    metadata.write(site, Project(tmp_path, "docs", "A site"), tmp_path / "cards")
    text = "".join(
        path.read_text("utf-8")
        for path in site.rglob("*")
        if path.suffix != ".css"
        if path.is_file()
    )
    assert not re.findall(r"https?://[^\s\"<]+", text)
    assert not {"sitemap.xml", "changes.xml"} & {path.name for path in site.iterdir()}
    text = (site / "part/one/index.html").read_text("utf-8")
    assert '<meta name="description" content="Second.">' in text


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
    assert history.has("docs/home.md") and not history.has("docs/ledger.md")
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
    project = Project(tmp_path, "docs", "A site", moved=moved)
    metadata.write(site, project, tmp_path / "cards")
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
            metadata.write(
                _site(tmp_path, home="First.", part_new="Second."),
                Project(tmp_path, "docs", "A site", moved=wrong),
                tmp_path / "cards",
            )


@pytest.mark.parametrize(
    "repository, source, field",
    [
        ("https://github.com/o/p", "https://github.com/o/p/blob/abc/docs/a.md", "page"),
        (
            "https://gitlab.com/o/p/",
            "https://gitlab.com/o/p/-/blob/abc/docs/a.md",
            "issue[description]",
        ),
    ],
)
def test_a_new_report_has_page_versions_and_revision(repository, source, field):
    project = Project(ROOT, "docs", "A site", repository=repository)
    links = forge.links(project, "docs/a.md", "https://e.org/a/", "TensorFlow 2", "abc")
    assert links["Source"] == source
    assert links["Edit this page"].endswith("/edit/main/docs/a.md")
    query = parse_qs(urlsplit(links["Report a mistake"]).query)
    report = "\n".join(value for [value] in query.values())
    assert "https://e.org/a/" in query[field][0]
    assert "TensorFlow 2" in report and "abc" in report
    if "template" in query:
        form = ROOT / ".github/ISSUE_TEMPLATE" / query.pop("template")[0]
        fields = {each["id"] for each in yaml.safe_load(form.read_text())["body"]}
        assert {*query} - {"title"} <= fields


def test_no_page_has_elements_that_the_policy_blocks(built_site):
    headers = (built_site / "_headers").read_text("utf-8")
    for path in sorted(built_site.rglob("*.html")):
        document: Any = html.fromstring(path.read_text("utf-8"))
        assert not [*document.iter("style")], path
        assert not document.xpath("//@*[starts-with(name(), 'on')]"), path
        for script in document.xpath("//script[not(@src)]"):
            if "json" not in script.get("type", ""):
                code = (script.text or "").encode()
                assert b64encode(sha256(code).digest()).decode() in headers, path


def test_the_policy_allows_the_scripts_that_pages_have():
    project = Project(ROOT, "docs", "A site", address="https://example.org/x/")
    pages = [
        '<script>one()</script><script src="a.js"></script>',
        "<p>two</p><script>one()</script>",
    ]
    headers = files.headers(pages, project)
    hashed = b64encode(sha256(b"one()").digest()).decode()
    assert re.findall(r"'sha256-([^']*)'", headers) == [hashed]
    assert re.findall(r"^/.*$", headers, re.M) == [
        "/x/*",
        "/x/assets/stylesheets/*",
    ]
