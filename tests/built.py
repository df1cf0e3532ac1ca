"""Checks of a built page, for the tests and for the drills that test them.

Each check raises AssertionError with the problem.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from lxml import html

from mathml.convert import convert
from tracebook import settings, snippet
from tracebook.compare import difference
from tracebook.includes import Include
from truth.page import Page

from .project import ROOT

SETTINGS = settings.load(ROOT)
SNIPPETS = {
    each.name: each
    for twins in (False, True)
    for each in snippet.find(replace(SETTINGS, twins=twins))
}
PAGES = sorted(SETTINGS.docs_dir.rglob("*.md"))
FOR_TOOLS = re.compile(r"[\s>]*#\s*(?:tracebook:|truth:|-+8<-+ )")
"""A comment of a program that readers don't see."""


@cache
def page(path: Path) -> Page:
    return Page(path, ROOT)


def built(site: Path, page: Path) -> Path:
    """Return the file of a built page."""
    path = page.relative_to(SETTINGS.docs_dir).with_suffix("")
    if path.name == "index":
        path = path.parent
    return site / path / "index.html"


def of_class(name: str) -> str:
    """Return an XPath condition for elements of a class."""
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


_BLOCK = f"//*[{of_class('md-content')}]//div[{of_class('highlight')}]"
_CODE = ".//text()[not(ancestor::button or ancestor::nav)]"


def _displayed(page: html.HtmlElement) -> list[tuple[str, str]]:
    """Return title and text of each titled block of code on a page, in order."""
    return [
        (title.text_content(), "".join(block.find(".//pre").xpath(_CODE)))
        for block in page.xpath(_BLOCK)
        for title in block.xpath(f".//span[{of_class('filename')}]")[:1]
    ]


def programs_and_outputs(source: Page) -> list[Include]:
    """Return the includes of a page that aren't tables."""
    return [each for each in source.includes if not each.name.startswith("tables/")]


def code(lines: list[str]) -> list[str]:
    """Return the lines that are neither empty nor comments for tools."""
    return [line for line in lines if line.strip() and not FOR_TOOLS.match(line)]


def displays_files_and_fresh_traces(
    path: Path, site: Path, traces: dict[str, str]
) -> None:
    """Check that a page displays its programs, and the outputs of fresh runs."""
    source = page(path)
    folder = path.relative_to(SETTINGS.docs_dir).with_suffix("").as_posix()
    displayed = _displayed(document(built(site, path)))
    included = programs_and_outputs(source)
    assert len(displayed) == len(included), "every titled block is an include"
    for include, (title, text) in zip(included, displayed):
        location = source.location(include.start)
        program = SNIPPETS[re.sub(r"\.out$", ".py", include.name)]
        if include.name.endswith(".py"):
            assert include.name == f"{folder}/{title}", location
            lines, expected = text.strip("\n").split("\n"), program.source
            assert lines == include.lines(expected), location
            assert include.section or code(lines) == code(expected.split("\n"))
            assert code(lines) == [line for line in lines if line.strip()], location
        else:
            assert title == "prints", location
            fresh = traces.get(program.name) or program.output or ""  # of a twin
            expected = "\n".join(include.lines(fresh) or ())
            problem = difference(text.strip("\n"), expected.strip("\n"), program.rel)
            assert problem is None, f"{location}\n{problem[1]}"


def traces_name_their_programs(path: Path, site: Path) -> None:
    """Check that each trace has its versions, and the name of its program.

    By that name, the script finds the lines of the program that printed a line.
    """
    traces = document(built(site, path)).xpath(f"{_BLOCK}/*[{of_class('holds')}]")
    names = [trace.get("data-program") for trace in traces]
    outputs = [each.name for each in page(path).includes if each.name.endswith(".out")]
    assert names == [re.sub(r"\.out$", ".py", name) for name in outputs]
    for name, trace in zip(names, traces):
        if snippet.is_twin(name):
            assert "Ran on 20" in trace.find("p").text_content()
            continue
        lines, source = _printed_by(site)[name], SNIPPETS[name].text.splitlines()
        printed = SNIPPETS[name].output_path.read_text("utf-8").splitlines()
        assert len(lines) == len(printed), f"{name}: a line without a source"
        assert all(0 <= line <= len(source) for line in lines), name
        assert "Built with TensorFlow" in trace.find("p").text_content()


@cache
def _printed_by(site: Path) -> dict[str, list[int]]:
    script = (site / "assets/lines.js").read_text("utf-8")
    return json.loads(script.removeprefix("printedBy="))


def comments_for_tools(site: Path) -> list[tuple[str, str]]:
    """Return file and text of each comment for tools in pages, downloads and archives."""
    return [
        (name, line)
        for name, text in _texts(site)
        for line in text.splitlines()
        if FOR_TOOLS.match(line)
    ]


def _texts(site: Path) -> Iterator[tuple[str, str]]:
    """Return name and text of each file of a site; of a page, its blocks of code."""
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        name = path.relative_to(site).as_posix()
        yield from _text(name, path.read_bytes())


def _text(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    suffix = Path(name).suffix
    if suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from _text(f"{name}: {member}", archive.read(member))
    elif suffix == ".html":
        for block in html.fromstring(content.decode()).iter("pre"):
            yield name, str(block.xpath("string()"))
    elif suffix == ".ipynb":
        for cell in json.loads(content)["cells"]:
            yield name, "".join(cell["source"])
    elif suffix in (".md", ".py", ".txt"):
        yield name, content.decode()
    elif suffix == ".js" and "search" in name:
        yield name, content.decode().replace("\\n", "\n").replace('"', "\n")


def built_pages(site: Path) -> list[Path]:
    paths = sorted(site.rglob("*.html"))
    assert len(paths) > len(PAGES), "pages, labs and 404.html"
    return paths


def document(path: Path) -> html.HtmlElement:
    """Return a built page, parsed ten times as fast as by BeautifulSoup."""
    return html.fromstring(path.read_text("utf-8"))


_HIDDEN = ("script", "style", "pre", "code", "annotation", "svg")
_VISIBLE = f"//text()[not({' or '.join(f'ancestor::{name}' for name in _HIDDEN)})]"


def has_no_raw_tex(path: Path) -> None:
    text = " ".join(document(path).xpath(_VISIBLE))
    tex = re.search(r"\\[A-Za-z(\[{]|\$|\\\\|\^\{", text)
    context = tex and text[max(tex.start() - 40, 0) : tex.end() + 40]
    assert not tex, f"{path}: {context!r}"


def displays_the_formulas_of_its_source(path: Path, site: Path) -> None:
    # The ledger has parts in other files, in another order.
    first = built(site, path)
    parts = sorted(first.parent.glob("of-*.html"))
    text = "".join(each.read_text("utf-8") for each in (first, *parts))
    displayed = re.findall(r"<math\b.*?</math>", text, re.DOTALL)
    actual = [*map(_normalized, displayed)]
    expected = [
        _normalized(convert(each.text.strip(), each.display))
        for each in page(path).formulas
    ]
    if parts:
        actual, expected = sorted(actual), sorted(expected)
    assert actual == expected


def _normalized(math: str) -> str:
    """Return MathML without differences in empty elements, entities and spaces."""
    expanded = re.sub(r"<(\w+)([^<>]*)/>", r"<\1\2></\1>", math)
    return " ".join(unescape(expanded).split())


def every_link_inside_has_a_target(site: Path) -> None:
    """Check all links, also those that MkDocs doesn't check because of their syntax."""
    ids = {
        path: set(re.findall(r'\bid="([^"]+)"', path.read_text("utf-8")))
        for path in built_pages(site)
    }
    for path in ids.keys() - {site / "404.html"}:
        for link in document(path).xpath("//*[@href or @src]"):
            target = link.get("href", link.get("src"))
            if re.match(r"[a-z]+:", target):
                continue
            address, _, anchor = target.partition("#")
            address = address.partition("?")[0]
            file = (path.parent / unquote(address)).resolve() if address else path
            if file.is_dir():
                file /= "index.html"
            assert file.is_file(), f"{path}: {target}"
            # The theme marks a figure for one of its two schemes by an anchor.
            marks_scheme = file.suffix == ".svg" and anchor.startswith("only-")
            assert not anchor or marks_scheme or unquote(anchor) in ids[file], (
                f"{path}: {target}"
            )
