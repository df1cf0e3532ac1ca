"""What must hold of a built page, for the tests and for the drills that try them:
each raises AssertionError with what is wrong."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from lxml import html

from mathml.convert import convert_all
from tracebook import settings, snippet
from tracebook.compare import difference
from truth.page import Page

from .project import ROOT

SETTINGS = settings.load(ROOT)
SNIPPETS = {each.name: each for each in snippet.find(SETTINGS)}
PAGES = sorted(SETTINGS.docs_dir.rglob("*.md"))
FOR_TOOLS = re.compile(r"[\s>]*#\s*(?:tracebook:|truth:|-+8<-+ )")
"""A comment of a program that no reader sees, on a line of its own."""


@cache
def page(path: Path) -> Page:
    return Page(path, ROOT)


def built(site: Path, page: Path) -> Path:
    """The file that a page is built into."""
    path = page.relative_to(SETTINGS.docs_dir).with_suffix("")
    if path.name == "index":
        path = path.parent
    return site / path / "index.html"


def of_class(name: str) -> str:
    """The condition of XPath."""
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


_BLOCK = f"//*[{of_class('md-content')}]//div[{of_class('highlight')}]"
_CODE = ".//text()[not(ancestor::button or ancestor::nav)]"


def _displayed(page: html.HtmlElement) -> list[tuple[str, str]]:
    """(title, text) of each titled block of code on a page, in order."""
    return [
        (title.text_content(), "".join(block.find(".//pre").xpath(_CODE)))
        for block in page.xpath(_BLOCK)
        for title in block.xpath(f".//span[{of_class('filename')}]")[:1]
    ]


def code(lines: list[str]) -> list[str]:
    """Lines that are neither empty nor for tools, by another way than the site's."""
    return [line for line in lines if line.strip() and not FOR_TOOLS.match(line)]


def displays_files_and_fresh_traces(
    path: Path, site: Path, traces: dict[str, str]
) -> None:
    its = page(path)
    folder = path.relative_to(SETTINGS.docs_dir).with_suffix("").as_posix()
    displayed = _displayed(document(built(site, path)))
    assert len(displayed) == len(its.includes), "every titled block is an include"
    for embed, (title, text) in zip(its.includes, displayed):
        where = its.location(embed.start)
        program = SNIPPETS[re.sub(r"\.out$", ".py", embed.name)]
        if embed.name.endswith(".py"):
            assert embed.name == f"{folder}/{title}", where
            lines, expected = text.strip("\n").split("\n"), program.source
            assert lines == embed.lines(expected), where
            assert embed.section or code(lines) == code(expected.split("\n"))
            assert code(lines) == [line for line in lines if line.strip()], where
        else:
            assert title == "prints", where
            expected = "\n".join(embed.lines(traces[program.name]) or ())
            found = difference(text.strip("\n"), expected.strip("\n"), program.rel)
            assert found is None, f"{where}\n{found[1]}"


def traces_lead_to_their_programs(path: Path, site: Path) -> None:
    """Behind each trace stand the name of its program, by which the script finds
    what printed a line, and what is known of other versions."""
    its = page(path)
    traces = document(built(site, path)).xpath(f"{_BLOCK}/*[{of_class('holds')}]")
    names = [each.get("data-program") for each in traces]
    shown = [each.name for each in its.includes if each.name.endswith(".out")]
    assert names == [re.sub(r"\.out$", ".py", name) for name in shown]
    for name, trace in zip(names, traces):
        lines, source = _printed_by(site)[name], SNIPPETS[name].text.splitlines()
        printed = SNIPPETS[name].output_path.read_text("utf-8").splitlines()
        assert len(lines) == len(printed), f"{name}: a line of which nothing is known"
        assert all(0 <= line <= len(source) for line in lines), name
        assert "Built with TensorFlow" in trace.find("p").text_content()


@cache
def _printed_by(site: Path) -> dict[str, list[int]]:
    said = (site / "assets/lines.js").read_text("utf-8")
    return json.loads(said.removeprefix("printedBy="))


def of_tools(site: Path) -> list[tuple[str, str]]:
    """The comments for tools that readers get, and where: in pages, in what they take
    along, and in archives."""
    return [
        (name, line)
        for name, text in _texts(site)
        for line in text.splitlines()
        if FOR_TOOLS.match(line)
    ]


def _texts(site: Path) -> Iterator[tuple[str, str]]:
    """Every text of a site as its readers have it: of a page the blocks of code."""
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        name = path.relative_to(site).as_posix()
        yield from _text(name, path.read_bytes())


def _text(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    kind = Path(name).suffix
    if kind == ".zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for each in archive.namelist():
                yield from _text(f"{name}: {each}", archive.read(each))
    elif kind == ".html":
        for block in html.fromstring(content.decode()).iter("pre"):
            yield name, str(block.xpath("string()"))
    elif kind == ".ipynb":
        for cell in json.loads(content)["cells"]:
            yield name, "".join(cell["source"])
    elif kind in (".md", ".py", ".txt"):
        yield name, content.decode()
    elif kind == ".js" and "search" in name:
        yield name, content.decode().replace("\\n", "\n").replace('"', "\n")


def built_pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > len(PAGES), "pages, labs and the page not found"
    return found


def document(path: Path) -> html.HtmlElement:
    """A built page, parsed a tenth as long as by BeautifulSoup."""
    return html.fromstring(path.read_text("utf-8"))


_UNSEEN = ("script", "style", "pre", "code", "annotation", "svg")
_SEEN = f"//text()[not({' or '.join(f'ancestor::{name}' for name in _UNSEEN)})]"


def has_no_raw_tex(path: Path) -> None:
    text = " ".join(document(path).xpath(_SEEN))
    found = re.search(r"\\[A-Za-z(\[{]|\$|\\\\|\^\{", text)
    shown = found and text[max(found.start() - 40, 0) : found.end() + 40]
    assert not found, f"{path}: {shown!r}"


def displays_the_formulas_of_its_source(path: Path, site: Path) -> None:
    formulas = [(each.text.strip(), each.display) for each in page(path).formulas]
    # The ledger has parts beside it, in another order.
    first = built(site, path)
    parts = sorted(first.parent.glob("of-*.html"))
    text = "".join(each.read_text("utf-8") for each in (first, *parts))
    displayed = re.findall(r"<math\b.*?</math>", text, re.DOTALL)
    found = [*map(_plain, displayed)]
    expected = [*map(_plain, convert_all(formulas))]
    if parts:
        found, expected = sorted(found), sorted(expected)
    assert found == expected


def _plain(math: str) -> str:
    """However it is written, and indented in the source of a list."""
    whole = re.sub(r"<(\w+)([^<>]*)/>", r"<\1\2></\1>", math)
    return " ".join(unescape(whole).split())


def every_link_inside_has_a_target(site: Path) -> None:
    """MkDocs checks the links of Markdown; these are all, the labs' too."""
    ids = {
        path: set(re.findall(r'\bid="([^"]+)"', path.read_text("utf-8")))
        for path in built_pages(site)
    }
    for path in ids.keys() - {site / "404.html"}:
        for link in document(path).xpath("//*[@href or @src]"):
            target = link.get("href", link.get("src"))
            if re.match(r"[a-z]+:", target):
                continue
            place, _, anchor = target.partition("#")
            place = place.partition("?")[0]
            found = (path.parent / unquote(place)).resolve() if place else path
            if found.is_dir():
                found /= "index.html"
            assert found.is_file(), f"{path}: {target}"
            # The theme marks a figure for one of its two schemes by an anchor.
            marks_scheme = found.suffix == ".svg" and anchor.startswith("only-")
            assert not anchor or marks_scheme or unquote(anchor) in ids[found], (
                f"{path}: {target}"
            )
