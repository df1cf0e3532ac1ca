"""Promise: MkDocs may end. ProperDocs builds the same site from the same settings.
Zensical builds the same pages, after ``python -m tracebook check``, with the same
programs, traces and formulas, although it runs no plugin and no hook."""

import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

from truth.ledger import page as ledger
from truth.page import LEDGER

from .built import document, of_class
from .project import ROOT, copy, edit, run

pytestmark = pytest.mark.builds

_GENERATOR = re.compile(rb'<meta name="generator"[^>]*>')


_UNSEEN = f"ancestor::*[{of_class('holds')}]"
_TEXT = f".//text()[not(ancestor::button or ancestor::nav or {_UNSEEN})]"


def _displayed(path: Path) -> tuple[list[str], list[str]]:
    """The text of each block of code, and the markup of each formula."""
    article = _article(path)
    for source in article.iter("annotation"):
        # Zensical obeys and removes this attribute.
        source.attrib.pop("data-search-exclude", None)
    blocks = article.xpath(f".//*[{of_class('highlight')}]")
    formulas = article.iter("math")
    return (
        ["".join(each.xpath(_TEXT)).strip() for each in blocks],
        [html.tostring(each, encoding="unicode", with_tail=False) for each in formulas],
    )


@pytest.fixture(scope="module")
def sites(small_project, tmp_path_factory) -> dict[str, Path]:
    """A small book, built by each: first by MkDocs, which draws the figures."""
    root = tmp_path_factory.mktemp("successors") / "book"
    shutil.copytree(small_project, root, symlinks=True)
    folders = {}
    for name, *command in (
        ("mkdocs", "build"),
        ("properdocs", "build", "--config-file", "mkdocs.yml"),
        ("zensical", "build"),
    ):
        if name == "zensical":
            ledger.write(root, root / LEDGER)
        code, said = run(root, name, *command)
        assert code == 0, said
        folders[name] = (root / "site").rename(root / name)
    return folders


def test_properdocs_builds_the_same_files(sites):
    """The plugins and hooks run, so that even the archive has the same content."""
    ours, theirs = (
        {
            path.relative_to(sites[name]).as_posix(): path.read_bytes()
            for path in sites[name].rglob("*")
            if path.is_file() and path.suffix != ".zip"
        }
        for name in ("mkdocs", "properdocs")
    )
    assert ours.keys() == theirs.keys()
    for name, content in ours.items():
        assert _GENERATOR.sub(b"", content) == _GENERATOR.sub(b"", theirs[name]), name


def test_properdocs_builds_no_site_with_a_false_trace(project):
    edit(project / "snippets/lessons/chain_rule/chain_rule.out", "1024", "1025")
    code, said = run(project, "properdocs", "build", "--config-file", "mkdocs.yml")
    assert code == 1
    assert "chain_rule.py prints something else" in said


def test_zensical_shows_what_the_extensions_add(sites):
    """Python-Markdown's extensions run: programs, formulas, stamps and versions."""
    for page in ("index.html", "lessons/chain_rule/index.html"):
        ours, theirs = (sites[name] / page for name in ("mkdocs", "zensical"))
        assert _displayed(ours) == _displayed(theirs)
        for added in ("stamp", "holds"):
            shown = [
                [
                    each.text_content()
                    for each in _article(path).xpath(f".//*[{of_class(added)}]")
                ]
                for path in (ours, theirs)
            ]
            assert shown[0] == shown[1] != []


def test_links_that_the_extensions_write_are_the_same_in_zensical(sites):
    for page in ("index.html", "lessons/chain_rule/index.html"):
        targets = [
            [
                _target(page, link)
                for link in _article(sites[name] / page).xpath(_ADDED_LINKS)
            ]
            for name in ("mkdocs", "zensical")
        ]
        assert targets[0] == targets[1] != []


_ADDED_LINKS = f".//*[{of_class('stamp')} or {of_class('holds')}]//a/@href"


def _article(path: Path) -> html.HtmlElement:
    """What stands on a page. The ledger of MkDocs is in parts, which stand here where it
    links to them; that of Zensical is whole."""
    [article] = document(path).iter("article")
    for link in article.xpath(".//p/a[starts-with(@href, 'of-')]"):
        part = _article(path.with_name(unquote(link.get("href"))))
        link.getparent().replace(link, part)
    return article


def _target(page: str, link: str) -> str:
    """The place in a site, from its top."""
    parts = urlsplit(link)
    found = Path("/", page).parent / unquote(parts.path)
    return f"{found.resolve()}#{parts.fragment}"


def test_zensical_shows_the_same_on_every_page_of_the_book(built_site, tmp_path):
    # Figures are there since MkDocs built.
    left_out = {".git", ".venv", ".cache", "site"}
    parts = {path.name for path in ROOT.iterdir()} - left_out
    project = copy(tmp_path / "project", *parts, "docs/figures", ".cache/truth")
    ledger.write(
        project, project / LEDGER
    )  # as `python -m truth` does before such a build
    fonts = (["mathml", "site"], ["reader.typeface", "site"])
    for command in (["zensical", "build"], *fonts):
        code, said = run(project, *command)
        assert code == 0, said
    pages = [path.relative_to(ROOT / "docs") for path in ROOT.glob("docs/**/*.md")]
    assert pages
    for page in pages:
        folder = page.parent if page.stem == "index" else page.with_suffix("")
        ours, theirs = (
            _displayed(site / folder / "index.html")
            for site in (built_site, project / "site")
        )
        assert ours == theirs, page
    for name in ("stix-two-math", "text-regular", "text-semibold", "text-italic"):
        font = project / f"site/assets/fonts/{name}.woff2"
        assert font.stat().st_size > 10_000
