"""Promise: each program on a page links to its file, which prints what the page shows."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import markdown
import pytest
from lxml import html
from markdown.treeprocessors import Treeprocessor

from tracebook import includes
from tracebook.compare import difference
from tracebook.output import without_noise

from . import built
from .project import ROOT

EACH_PAGE = pytest.mark.parametrize("path", built.PAGES, ids=lambda path: path.stem)
PROGRAM = "lessons/chain_rule/chain_rule.py"


class _Site(Treeprocessor):
    """The processor that MkDocs registers, with the rendered page."""

    def __init__(self, page: str, url: str) -> None:
        self.file = SimpleNamespace(src_uri=page, url=url)
        self.config = SimpleNamespace(docs_dir=str(ROOT / "docs"))


def rendered(page: str, url: str | None, *titles: str) -> html.HtmlElement:
    """Return blocks of code with these titles, as a page shows them.

    Without an address, the site generator is Zensical, which runs no plugins.
    """
    md = markdown.Markdown(
        extensions=["pymdownx.highlight", "pymdownx.superfences", "reader.programs"]
    )
    if url is not None:
        md.treeprocessors.register(_Site(page, url), "relpath", 0)
    else:
        context: Any = SimpleNamespace(page=SimpleNamespace(path=page), run=list)
        md.preprocessors.register(context, "rendering_context", 0)
    text = "\n".join(f'```python title="{each}"\nx = 1\n```\n' for each in titles)
    return html.fragment_fromstring(md.convert(text), create_parent="main")


@pytest.mark.parametrize(
    "page, url, to",
    [
        ("lessons/chain_rule.md", "lessons/chain_rule/", f"../../snippets/{PROGRAM}"),
        ("lessons/chain_rule.md", "lessons/chain_rule.html", f"../snippets/{PROGRAM}"),
    ],
)
def test_the_name_of_a_program_links_to_its_file(page, url, to):
    block = rendered(page, url, "chain_rule.py")
    [link] = block.xpath("//*[@class='filename']/a")
    assert link.get("href") == to and link.text == "chain_rule.py"
    assert "download" in link.attrib


def test_code_without_a_file_is_unchanged():
    block = rendered("lessons/chain_rule.md", "lessons/chain_rule/", "test_mine.py")
    assert not [*block.iter("a")]


def test_without_the_files_there_is_no_link_to_them():
    block = rendered("lessons/chain_rule.md", None, "chain_rule.py")
    assert not [*block.iter("a")]


@EACH_PAGE
def test_each_program_on_a_page_has_its_link(path, built_site):
    file = built.built(built_site, path)
    names = [e.name for e in built.page(path).includes if e.name.endswith(".py")]
    blocks = built.document(file).xpath("//div[./span[@class='filename']/a]")
    links = [file.parent / b.xpath("./span/a/@href")[0] for b in blocks]
    snippets = (built_site / "snippets").resolve()
    targets = [link.resolve().relative_to(snippets).as_posix() for link in links]
    assert targets == names
    assert all(link.is_file() for link in links)


def test_figures_have_the_typeface_of_the_text(built_site):
    figures = {*(built_site / "figures").rglob("*.svg")}
    # Matplotlib names each glyph after its font.
    assert figures and all('"SourceSansPro-' in path.read_text() for path in figures)


def _output(line: str, folder) -> str:
    python, _, rest = line.partition(" ")
    assert python == "python"
    line = f'"{sys.executable}" {rest}'
    subprocess.run(line, shell=True, cwd=folder, timeout=120, check=True)
    return without_noise(
        (folder / "chain_rule.txt").read_text("utf-8"), built.SETTINGS.noise_pattern
    )


@pytest.mark.plain_python
def test_the_command_keeps_the_whole_output_and_one_stream_does_not(tmp_path):
    source = built.SETTINGS.snippets_dir / PROGRAM
    (tmp_path / "chain_rule.py").write_text(includes.read(source), "utf-8")
    trace = source.with_suffix(".out").read_text("utf-8")
    both_streams = "python -u chain_rule.py > chain_rule.txt 2>&1"
    rel = built.SNIPPETS[PROGRAM].rel
    assert difference(trace, _output(both_streams, tmp_path), rel) is None
    stdout = _output(both_streams.replace(" 2>&1", " 2>/dev/null"), tmp_path)
    assert "upstream" in trace and "upstream" not in stdout
