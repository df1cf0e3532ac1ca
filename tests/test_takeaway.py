"""Promise: the downloads have the content of the site: each page as a notebook and as
Markdown, each program, and the whole site."""

import io
import re
import zipfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import nbformat
import pytest
from lxml import html
from markdown_it import MarkdownIt

from mathml.convert import MACROS, convert
from mathml.source import Source, blanked
from takeaway import commonmark, exercises, offline
from takeaway.commonmark import LinkResolver
from takeaway.downloads import PROGRAMS, Downloads, SourcePage
from tracebook import files, includes, snippet
from truth.menu import menu

from . import built
from .conftest import ADDRESS
from .project import ROOT

SNIPPETS = built.SETTINGS.snippets_dir
COMMONMARK = MarkdownIt("commonmark").enable("table")
EACH_PAGE = pytest.mark.parametrize("path", built.PAGES, ids=lambda path: path.stem)
WITH_PROGRAMS = [
    path
    for path in built.PAGES
    if any(f.name.endswith(".py") and not f.section for f in built.page(path).includes)
]
EACH_NOTEBOOK = pytest.mark.parametrize("path", WITH_PROGRAMS, ids=lambda p: p.stem)


def _download(path: Path, site: Path, suffix: str) -> Path:
    return (site / path.relative_to(built.SETTINGS.docs_dir)).with_suffix(suffix)


@cache
def _notebook(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def _texts(path: Path, site: Path) -> list[str]:
    """Return the page as Markdown, and the running text of its notebook."""
    texts = [_download(path, site, ".md").read_text("utf-8")]
    if path in WITH_PROGRAMS:
        cells = _notebook(_download(path, site, ".ipynb")).cells
        prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
        texts.append("\n\n".join(prose))
    return texts


SITE_ONLY = re.compile(
    r"^ *(?:!!!|\?\?\?|===|:   )|\{ ?[:.#]|<!--|\btitle=|data-\w+=|#only-(?:light|dark)",
    re.MULTILINE,
)
"""Syntax that only the site understands, outside of code and formulas."""
MACRO = re.compile(rf"\\(?:{'|'.join(MACROS)})(?![A-Za-z])|(?<!\\)%")


@EACH_PAGE
def test_downloads_have_no_syntax_that_only_the_site_understands(path, built_site):
    for text in _texts(path, built_site):
        assert not [*includes.find(text)]
        source = Source(text)
        syntax = SITE_ONLY.search(blanked(source.prose, source.comments))
        assert not source.comments and not syntax, syntax
        assert [f.label for f in source.formulas if MACRO.search(f.text)] == []


@EACH_PAGE
def test_downloads_have_every_formula(path, built_site):
    expected = _symbols(built.page(path))
    for text in _texts(path, built_site):
        assert _symbols(Source(text)) == expected


def _symbols(source: Source) -> list[str]:
    """Return the text of each formula, whatever commands produced it."""
    symbols = []
    for formula in source.formulas:
        # math-core knows colors by their names.
        tex = re.sub(r"#[0-9a-f]{6}", "red", formula.text)
        math = convert(tex, formula.display)
        math = re.sub("<annotation.*?</annotation>", "", math, flags=re.DOTALL)
        symbols.append(re.sub(r"<[^>]*>|\s", "", math))
    return symbols


@EACH_PAGE
def test_downloads_have_every_block_of_text(path, built_site):
    """Each paragraph, heading, list item and cell, without code and formulas."""
    page: Any = html.fromstring(built.built(built_site, path).read_text("utf-8"))
    (article,) = page.xpath("//article")
    unseen = "self::code or self::math or self::nav or self::annotation"
    marks = "@class='headerlink' or contains(@class, 'stamp') or @class='beside'"
    marks += " or @class='holds'"
    marks += " or @class='claim-sign' or @class='tried'"
    for element in article.xpath(f".//*[{unseen} or {marks}]"):
        element.drop_tree()
    tags = [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "td",
        "th",
        "dt",
        "summary",
        "li[not(.//p)]",
    ]
    blocks = [
        e.text_content() for e in article.xpath("|".join(f".//{t}" for t in tags))
    ]
    assert len(blocks) > 3
    for text in _texts(path, built_site):
        letters = _letters(_rendered(text))
        assert [block for block in blocks if _letters(block) not in letters] == []


def _rendered(markdown: str) -> str:
    """Return the text that CommonMark renders, with one sign for each formula."""
    for formula in reversed(Source(markdown).formulas):
        start, end = formula.span
        markdown = f"{markdown[:start]}¤{markdown[end:]}"
    page: Any = html.fromstring(f"<div>{COMMONMARK.render(markdown)}</div>")
    for code in page.xpath("//code"):
        code.drop_tree()
    return page.text_content()


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


@EACH_NOTEBOOK
def test_downloads_have_every_block_of_code(path, built_site):
    markdown, prose = _texts(path, built_site)
    cells = _notebook(_download(path, built_site, ".ipynb")).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    programs = [
        re.sub(r"\A%%writefile .*\n", "", cell.source)
        for cell in code
        if "!{sys.executable} " not in cell.source
    ]
    outputs = [
        cell.outputs for cell in code if not cell.source.startswith("%%writefile ")
    ]
    blocks = [token.content for token in COMMONMARK.parse(markdown) if token.content]
    embedded = []
    for fence in built.page(path).fences:
        included = [*includes.find(fence.text)]
        if not included:
            lines = fence.text.split()
            assert any(lines == block.split() for block in blocks), fence.text
            joined = re.sub(r"[\s>]", "", fence.text)
            assert joined in re.sub(r"[\s>]", "", prose)
        # A section of a program is a block of its own; the whole is a cell.
        embedded += [SNIPPETS / each.name for each in included if not each.section]
    for file in embedded:
        assert includes.read(file) in blocks, file
    program_files = [
        file
        for file in embedded
        if file.suffix == ".py" and not snippet.is_twin(file.name)
    ]
    assert programs == [includes.read(file).rstrip("\n") for file in program_files]
    for file, cell_outputs in zip(program_files, outputs):
        trace = file.with_suffix(".out").read_text("utf-8")
        assert [output.text for output in cell_outputs] == [trace], file


def test_no_comment_for_tools_reaches_readers(built_site):
    assert built.comments_for_tools(built_site) == []


def test_a_page_without_a_program_has_no_notebook(built_site):
    with_notebook = {
        path for path in built.PAGES if _download(path, built_site, ".ipynb").exists()
    }
    assert with_notebook == {*WITH_PROGRAMS}
    assert len(with_notebook) < len(built.PAGES) - 10


@EACH_NOTEBOOK
def test_a_notebook_is_valid_and_marks_special_programs(path, built_site):
    notebook = _notebook(_download(path, built_site, ".ipynb"))
    nbformat.validate(notebook)
    names = [each.name for each in built.page(path).includes if not each.section]
    programs = [*map(built.SNIPPETS.get, names)]
    cells = [n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    for program in filter(None, programs):
        if snippet.is_twin(program.name):
            continue
        cell = notebook.cells[n := cells.pop(0)]
        assert cell.source.startswith("%%writefile ") == program.alone
        if program.alone:
            assert "needs a new process" in notebook.cells[n - 1].source
            run = notebook.cells[cells.pop(0)].source
            assert run == f"import sys\n\n!{{sys.executable}} {program.path.name}"
        raises = program.raises is not None and not program.alone
        assert ("raises-exception" in cell.metadata.get("tags", ())) == raises
    assert not cells


@EACH_PAGE
def test_links_lead_to_the_site(path, built_site):
    for text in _texts(path, built_site):
        page: Any = html.fromstring(f"<div>{COMMONMARK.render(text)}</div>")
        for target in page.xpath("//a/@href|//img/@src"):
            assert re.match("[a-z]+:", target), target
            if target.startswith(ADDRESS):
                place, _, anchor = target.removeprefix(ADDRESS).partition("#")
                file = built_site / place
                file = file / "index.html" if file.is_dir() else file
                assert file.is_file(), target
                assert not anchor or f'id="{anchor}"' in file.read_text("utf-8")


@pytest.mark.parametrize(
    "target, neighbor",
    [
        ("vjp.md#type", "vjp.ipynb#type"),
        ("../glossary.md", "../glossary.md"),
        ("#here", "#here"),
        ("../labs/sign_training.py", "../labs/sign_training/"),
        ("../figures/a.svg#only-light", "../figures/a.svg"),
        ("https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_without_an_address_links_lead_to_neighbors(target, neighbor):
    links = LinkResolver(
        "guide/tape.md",
        lambda path: path.replace(".py", "/"),
        notebooks={"guide/vjp.md", "guide/tape.md"},
    )
    assert links.resolve(target) == neighbor


def test_each_program_is_at_its_address_and_in_the_archive(built_site):
    files_of_programs = {
        f"snippets/{path.relative_to(SNIPPETS).as_posix()}": includes.read(
            path
        ).encode()
        for path in files.below(SNIPPETS)
        if path.suffix in (".py", ".out")
    }
    with zipfile.ZipFile(built_site / PROGRAMS) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    assert packed.keys() == files_of_programs.keys()
    assert packed == files_of_programs
    for name, content in files_of_programs.items():
        assert (built_site / name).read_bytes() == content, name


def test_llms_has_each_page_in_the_order_of_the_menu(built_site):
    index = (built_site / "llms.txt").read_text("utf-8")
    full = _with_roles((built_site / "llms-full.txt").read_text("utf-8"))
    pages = [name for name in menu(ROOT) if name.endswith(".md")]
    lines = re.findall(
        rf"^- \[.+\]\({re.escape(ADDRESS)}(.*)\): .", index, re.MULTILINE
    )
    assert lines == pages and not re.search(":$", index, re.MULTILINE)
    start = 0
    for name in pages:
        if name != "ledger.md":
            page = _with_roles((built_site / name).read_text("utf-8"))
            start = full.index(page, start)


def test_the_formulas_of_llms_full_name_the_roles_of_factors(built_site):
    full = (built_site / "llms-full.txt").read_text("utf-8")
    formulas = [formula.text for formula in Source(full).formulas]
    assert not [formula for formula in formulas if "textcolor" in formula]
    for role in commonmark.COLORS:
        assert sum(rf"\{role}{{" in formula for formula in formulas) > 100, role
        assert rf"\{role}" in full[: full.index("\n# ", 1)], "its explanation"


def _with_roles(text: str) -> str:
    """Return a page with names of roles instead of colors, and without braces."""
    for role, color in commonmark.COLORS.items():
        text = text.replace(rf"\textcolor{{{color}}}", rf"\{role}")
    return re.sub("[{}]", "", text)


@pytest.fixture(scope="module")
def unpacked(built_site, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("offline")
    content = (built_site / offline.NAME).read_bytes()
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    return folder / "site"


def test_links_of_the_archive_lead_to_files(unpacked, built_site):
    pages = sorted(unpacked.rglob("*.html"))
    assert len(pages) == len([*built_site.rglob("*.html")]) - 1, "but for 404.html"
    for path in pages:
        page: Any = html.fromstring(path.read_text("utf-8"))
        for target in page.xpath("//@href|//@src"):
            file = re.split("[#?]", target)[0]
            if file and not re.match("[a-z]+:", file):
                assert (path.parent / file).is_file(), f"{path}: {target}"


def _buttons(
    has_notebook: bool = True, exercises: str = "", **config: str
) -> dict[str, str]:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT / "overrides/partials"), autoescape=True
    )
    environment.filters["url"] = lambda path: f"../../{path}"
    page = SimpleNamespace(file=SimpleNamespace(src_uri="guide/tape.md"))
    rendered = environment.get_template("take.html").render(
        page=page, config=config, has_notebook=has_notebook, exercises=exercises
    )
    document: Any = html.fromstring(rendered)
    links = document.xpath("//nav[@aria-label]//a")
    return {link.text_content(): link.get("href") for link in links}


def test_without_an_address_exercises_link_to_notebooks():
    links = LinkResolver("guide/tape.md", str, "", {"guide/vjp.md"}, "exercises")
    assert links.resolve("vjp.md#type") == "../guide/vjp.ipynb#type"
    assert links.resolve("../lessons/kink.md") == "../lessons/kink.md"
    assert links.resolve("#here") == "../guide/tape.md#here"


@pytest.mark.parametrize(
    "of, outputs",
    [
        ("sin(x)", {"upstream": "sin(x)"}),
        ("upstream * sin(x)", {"upstream": "sin(x)"}),
        ("upstream / x", {"upstream": "1 / x"}),
        ("d_bar * u * x^2", {"d_bar": "u * x^2"}),
        ("upstream_a * x + upstream_b / x", {"upstream_a": "x", "upstream_b": "1 / x"}),
        ("a * x + 1 / x", {"upstream": "a * x + 1 / x"}),
    ],
)
def test_an_exercise_knows_the_function_of_its_formula(of, outputs):
    derive = f'**Derive: x.** Derive it.\n\n??? question "Answer"\n\n    `1`{{.answer data-of="{of}"}}\n'
    [exercise] = exercises.find(f"**Other.** No.\n\n{derive}")
    assert exercise.outputs == outputs
    assert exercise.question == "**Derive: x.** Derive it."


def test_an_answer_keeps_its_code_and_loses_its_attributes():
    marked = 'It is **5**{.answer data-name="a"}: `f(x)`{.answer data-of="x^2"}.\n'
    links = LinkResolver("page.md", str)
    assert (
        commonmark.join(commonmark.split(marked, links, str), links)
        == "It is **5**: `f(x)`.\n"
    )


RUN = '```python title="x.py"\n--8<-- "p/x.py"\n```\n\n'
PRINTS = '```text title="prints"\n--8<-- "p/x.out"\n```\n'
ANSWER = '??? question "Answer"\n\n    `1`{.answer data-of="x * 1"}\n'
EXERCISES = "exercises/p.ipynb"
PROGRAM_FILES = {
    "p/x.py": b"print(1)\n",
    "p/x.out": b"1\n",
    "p/odd.py": b"# tracebook: raise\nprint(1)\n",
}
MISTAKES = [
    ('```python title="y.py"\n--8<-- "p/y.py"\n```\n', "p.md", "[`y.py`]"),
    ('```python title="odd.py"\n--8<-- "p/odd.py"\n```\n', "p.ipynb", '"print(1)"'),
    (f"{RUN}Text.\n\n## Below\n\nText.\n\n## Next\n\n{PRINTS}", "p.ipynb", '"1\\n"'),
    (":   No term.\n", "p.md", ":   No term."),
    (f"{RUN}:   No term.\n", "p.md", ":   No term."),
    (ANSWER, EXERCISES, "constant([0.5, 2.0, -1.25])"),
    (f"**A.** It.\n\n{ANSWER.rstrip()}", EXERCISES, '"**A.** It."'),
    (ANSWER.replace('"}', '" data-at="x=1 2"}'), EXERCISES, "constant([1.0, 2.0])"),
    (
        ANSWER.replace('"}', '" data-at="x = 1, 2e-1"}'),
        EXERCISES,
        "constant([1.0, 0.2])",
    ),
    ('!!! note "N"\n\n\tBy a tab.\n', "p.md", "> By a tab."),
    (ANSWER.replace("    ", "\t"), EXERCISES, "constant([0.5"),
    (ANSWER.replace("data", 'data-name="a" data'), EXERCISES, "constant([0.5"),
]
"""Markdown with a mistake, a download, and text that this download has."""


@pytest.mark.parametrize("markdown, name, text", MISTAKES)
def test_a_mistake_on_one_page_stops_no_download(markdown, name, text):
    """A served page may have one; a check reports it with its line."""
    pages = [SourcePage("p.md", "P", markdown), SourcePage("q.md", "Q", "# Q\n")]
    downloads = dict(Downloads("A site", "", pages, PROGRAM_FILES, str).files())
    assert text in downloads[name].decode() and "q.md" in downloads


def test_buttons():
    notebook = {"Notebook": "../../guide/tape.ipynb", "Markdown": "../../guide/tape.md"}
    assert _buttons(repo_url="") == notebook
    exercises = {"Exercises": "../../exercises/tape.ipynb"}
    buttons = _buttons(exercises="exercises/tape.ipynb", repo_url="")
    assert buttons == notebook | exercises
    without = _buttons(has_notebook=False, repo_url="https://github.com/o/r/")
    assert without == {"Markdown": notebook["Markdown"]}
    assert _buttons(repo_url="https://github.com/o/r/") == {
        **notebook,
        "Colab": "https://colab.research.google.com/github/o/r/blob/notebooks/guide/tape.ipynb",
        "GitHub": "https://github.com/o/r/blob/notebooks/guide/tape.ipynb",
    }


@EACH_PAGE
def test_each_page_has_its_buttons(path, built_site):
    page = built.document(built.built(built_site, path))
    links = page.xpath("//nav[@class='take']/a/@href")
    targets = [
        (built.built(built_site, path).parent / link).resolve() for link in links
    ]
    expected = [_download(path, built_site, ".md").resolve()]
    if "data-of=" in path.read_text("utf-8"):
        expected.insert(0, (built_site / "exercises" / f"{path.stem}.ipynb").resolve())
        assert expected[0].is_file()
    if path in WITH_PROGRAMS:
        expected.insert(0, _download(path, built_site, ".ipynb").resolve())
    assert targets[: len(expected)] == expected
    assert not any(each.suffix == ".ipynb" for each in targets[len(expected) :])
