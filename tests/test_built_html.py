"""Promise: what a built page displays is the snippet's file and the trace of a
fresh run, as text a reader sees; and no page shows raw TeX."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup
from pymdownx.snippets import SnippetPreprocessor

from mathml.convert import convert_all
from tracebook import pages, settings, snippet
from tracebook.client import Engine
from tracebook.compare import difference

from .project import ROOT

SETTINGS = settings.load(ROOT)
SNIPPETS = {each.name: each for each in snippet.find(SETTINGS)}
PAGES = sorted(SETTINGS.docs_dir.rglob("*.md"))


@pytest.fixture(scope="module")
def fresh_traces() -> dict[str, str]:
    engine = Engine(SETTINGS.root)
    try:
        engine.ask()
        return engine.answer()["traces"]
    finally:
        engine.close()


def built(site: Path, page: Path) -> Path:
    """The file that a page is built into."""
    path = page.relative_to(SETTINGS.docs_dir).with_suffix("")
    if path.name == "index":
        path = path.parent
    return site / path / "index.html"


def _html(site: Path, page: Path) -> BeautifulSoup:
    return BeautifulSoup(built(site, page).read_text("utf-8"), "lxml")


def _displayed(html: BeautifulSoup) -> list[tuple[str, str]]:
    """(title, text) of each titled block of code on a page, in order."""
    blocks = []
    for block in html.select(".md-content div.highlight"):
        if title := block.select_one("span.filename"):
            for unseen in block.select("button, nav"):
                unseen.extract()
            blocks.append((title.get_text(), block.select_one("pre").get_text()))
    return blocks


def _selected(text: str, selection: str) -> str:
    """The part of a file that an include selects, without section markers."""
    lines = text.splitlines()
    if re.fullmatch(r"[0-9:,]+", selection):
        spans = (span.partition(":") for span in selection.split(","))
        lines = [
            line
            for first, _, last in spans
            for line in lines[int(first or 1) - 1 : int(last or len(lines))]
        ]
    elif selection:
        marks = [
            i
            for i, line in enumerate(lines)
            if (m := SnippetPreprocessor.RE_SNIPPET_SECTION.match(line))
            and m["name"] == selection
        ]
        lines = lines[marks[0] + 1 : marks[1]]
    return "\n".join(
        line for line in lines if not SnippetPreprocessor.RE_SNIPPET_SECTION.match(line)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_displays_files_and_fresh_traces(page, built_site, fresh_traces):
    shown = page.relative_to(SETTINGS.root).as_posix()
    embeds = [e for e in pages.embeds(SETTINGS) if e.where.rpartition(":")[0] == shown]
    folder = page.relative_to(SETTINGS.docs_dir).with_suffix("").as_posix()
    displayed = _displayed(_html(built_site, page))
    assert len(displayed) == len(embeds), "every titled block is an include"
    for embed, (title, text) in zip(embeds, displayed):
        program = SNIPPETS[re.sub(r"\.out$", ".py", embed.name)]
        if embed.name.endswith(".py"):
            assert embed.name == f"{folder}/{title}", embed.where
            expected = _selected(program.source, embed.selection)
            assert text.strip("\n") == expected.strip("\n"), embed.where
        else:
            assert title == "prints", embed.where
            expected = _selected(fresh_traces[program.name], embed.selection)
            found = difference(text.strip("\n"), expected.strip("\n"), program.rel)
            assert found is None, f"{embed.where}\n{found[1]}"


def test_a_trace_stands_below_its_program():
    """A reader takes the trace for that of the program just above it."""
    above = None
    for embed in pages.embeds(SETTINGS):
        if embed.name.endswith(".py"):
            above = embed.name
        else:
            assert embed.name.removesuffix(".out") + ".py" == above, embed.where


def test_wrong_snippets_say_so_in_their_first_line():
    for each in SNIPPETS.values():
        marked = each.source.startswith('"""Wrong on purpose: ')
        assert marked == "wrong" in each.path.parts, each.shown
        if each.raises:
            assert marked, f"{each.shown} shall fail, so it lives in wrong/"


def _built_pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > len(PAGES), "pages, labs and the page not found"
    return found


def raw_tex(path: Path) -> str | None:
    """The first raw TeX that a built page shows to its reader, or None."""
    html = BeautifulSoup(path.read_text("utf-8"), "lxml")
    for unseen in html.select("script, style, pre, code, annotation, svg"):
        unseen.extract()
    text = html.get_text(" ")
    found = re.search(r"\\[A-Za-z(\[{]|\$|\\\\|\^\{", text)
    return found and text[max(found.start() - 40, 0) : found.end() + 40]


def test_no_page_shows_raw_tex(built_site):
    for path in _built_pages(built_site):
        assert not (found := raw_tex(path)), f"{path}: {found!r}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_displays_the_formulas_of_its_source(page, built_site):
    source = re.sub(
        r"^ *```.*?^ *```|`[^`\n]*`",
        "",
        page.read_text("utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )
    formulas = [
        ((found[1] or found[2]).strip(), bool(found[1]))
        for found in re.finditer(r"\$\$(.+?)\$\$|\$([^$\s][^$]*)\$", source, re.DOTALL)
    ]
    displayed = re.findall(
        r"<math\b.*?</math>", built(built_site, page).read_text("utf-8"), re.DOTALL
    )
    # The annotation of a formula in a list is indented in the source.
    assert [" ".join(each.split()) for each in displayed] == [
        " ".join(each.split()) for each in convert_all(formulas)
    ]


def test_every_link_inside_the_site_has_a_target(built_site):
    """MkDocs checks the links of Markdown; these are all, the labs' too."""
    ids = {
        path: set(re.findall(r'\bid="([^"]+)"', path.read_text("utf-8")))
        for path in _built_pages(built_site)
    }
    for path in ids.keys() - {built_site / "404.html"}:
        html = BeautifulSoup(path.read_text("utf-8"), "lxml")
        for link in html.select("[href], [src]"):
            target = link.get("href", link.get("src"))
            if re.match(r"[a-z]+:", target):
                continue
            place, _, anchor = target.partition("#")
            found = (path.parent / unquote(place)).resolve() if place else path
            if found.is_dir():
                found /= "index.html"
            assert found.is_file(), f"{path}: {target}"
            # The theme marks a figure for one of its two schemes by an anchor.
            marks_scheme = found.suffix == ".svg" and anchor.startswith("only-")
            assert not anchor or marks_scheme or unquote(anchor) in ids[found], (
                f"{path}: {target}"
            )


def test_no_page_shows_a_line_of_the_log(built_site):
    for path in _built_pages(built_site):
        html = BeautifulSoup(path.read_text("utf-8"), "lxml")
        for block in html.select("pre"):
            for line in block.get_text().splitlines():
                assert not SETTINGS.noise_pattern.match(line), f"{path}: {line}"
