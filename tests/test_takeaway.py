"""Promise: what a reader takes along says what the site says: each page as a notebook
and as Markdown, each program, and the whole site."""

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

from mathml.convert import MACROS, convert_all
from mathml.source import Source, blanked
from takeaway import exercises, offline, plain
from takeaway.book import PROGRAMS, Book, Page
from takeaway.plain import Place
from tracebook import files, includes, live
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


def _taken(path: Path, site: Path, suffix: str) -> Path:
    return (site / path.relative_to(built.SETTINGS.docs_dir)).with_suffix(suffix)


@cache
def _notebook(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def _texts(path: Path, site: Path) -> list[str]:
    """The page as Markdown, and the running text of its notebook."""
    texts = [_taken(path, site, ".md").read_text("utf-8")]
    if path in WITH_PROGRAMS:
        cells = _notebook(_taken(path, site, ".ipynb")).cells
        prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
        texts.append("\n\n".join(prose))
    return texts


# What only the site understands, on a line without code and formulas.
SITE_ONLY = re.compile(
    r"^ *(?:!!!|\?\?\?|===|:   )|\{ ?[:.#]|<!--|\btitle=|data-\w+=|#only-(?:light|dark)",
    re.MULTILINE,
)
MACRO = re.compile(rf"\\(?:{'|'.join(MACROS)})(?![A-Za-z])|(?<!\\)%")


@EACH_PAGE
def test_nothing_is_left_that_only_the_site_understands(path, built_site):
    for text in _texts(path, built_site):
        assert not [*includes.find(text)]
        source = Source(text)
        left = SITE_ONLY.search(blanked(source.prose, source.comments))
        assert not source.comments and not left, left
        assert [f.shown for f in source.formulas if MACRO.search(f.text)] == []


@EACH_PAGE
def test_every_formula_is_there(path, built_site):
    wanted = _signs(built.page(path))
    for text in _texts(path, built_site):
        assert _signs(Source(text)) == wanted


def _signs(source: Source) -> list[str]:
    """What is read of each formula, by whichever commands it was written."""
    formulas = [
        # math-core knows colors by their names.
        (re.sub(r"#[0-9a-f]{6}", "red", each.text), each.display)
        for each in source.formulas
    ]
    without_tex = (
        re.sub("<annotation.*?</annotation>", "", formula, flags=re.DOTALL)
        for formula in convert_all(formulas)
    )
    return [re.sub(r"<[^>]*>|\s", "", formula) for formula in without_tex]


@EACH_PAGE
def test_says_what_the_page_says(path, built_site):
    """Each paragraph, heading, list item and cell, without code and formulas."""
    page: Any = html.fromstring(built.built(built_site, path).read_text("utf-8"))
    (article,) = page.xpath("//article")
    unseen = "self::code or self::math or self::nav or self::annotation"
    marks = "@class='headerlink' or contains(@class, 'stamp') or @class='beside'"
    marks += " or @class='run' or @class='holds'"
    for each in article.xpath(f".//*[{unseen} or {marks}]"):
        each.drop_tree()
    blocks = [
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
    said = article.xpath("|".join(f".//{block}" for block in blocks))
    assert len(said) > 3
    for text in _texts(path, built_site):
        shown = _letters(_rendered(text))
        lost = [each.text_content() for each in said]
        assert [each for each in lost if _letters(each) not in shown] == []


def _rendered(markdown: str) -> str:
    """What any reader of Markdown shows, without code; a formula is one sign."""
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
def test_every_block_of_code_is_there(path, built_site):
    markdown, prose = _texts(path, built_site)
    cells = _notebook(_taken(path, built_site, ".ipynb")).cells
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
        found = [*includes.find(fence.text)]
        if not found:
            lines = fence.text.split()
            assert any(lines == block.split() for block in blocks), fence.text
            assert "".join(lines) in re.sub(r"[\s>]", "", prose).replace(" ", "")
        # A section of a program is a block of its own; the whole is a cell.
        embedded += [SNIPPETS / each.name for each in found if not each.section]
    for file in embedded:
        assert includes.read(file) in blocks, file
    wanted = [file for file in embedded if file.suffix == ".py"]
    assert programs == [includes.read(file).rstrip("\n") for file in wanted]
    for file, printed in zip(wanted, outputs):
        trace = file.with_suffix(".out").read_text("utf-8")
        assert [output.text for output in printed] == [trace], file


def test_nothing_that_readers_get_has_comments_for_tools(built_site):
    assert built.of_tools(built_site) == []


def test_a_page_without_a_program_has_no_notebook(built_site):
    there = {
        path for path in built.PAGES if _taken(path, built_site, ".ipynb").exists()
    }
    assert there == {*WITH_PROGRAMS} and len(there) < len(built.PAGES) - 10


@EACH_NOTEBOOK
def test_a_notebook_is_one(path, built_site):
    book = _notebook(_taken(path, built_site, ".ipynb"))
    nbformat.validate(book)
    whole = [each.name for each in built.page(path).includes if not each.section]
    programs = [*map(built.SNIPPETS.get, whole)]
    cells = [n for n, cell in enumerate(book.cells) if cell.cell_type == "code"]
    for program in filter(None, programs):
        cell = book.cells[n := cells.pop(0)]
        assert cell.source.startswith("%%writefile ") == program.alone
        if program.alone:
            assert "needs a new process" in book.cells[n - 1].source
            run = book.cells[cells.pop(0)].source
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
    place = Place(
        "guide/tape.md",
        lambda path: path.replace(".py", "/"),
        notebooks={"guide/vjp.md", "guide/tape.md"},
    )
    assert place.link(target) == neighbor


def test_each_program_is_at_its_address_and_in_the_archive(built_site):
    files_of_programs = {
        f"snippets/{path.relative_to(SNIPPETS).as_posix()}": includes.read(
            path
        ).encode()
        for path in files.below(SNIPPETS)
        if path.suffix != live.SUFFIX  # which the site has as scripts
    }
    with zipfile.ZipFile(built_site / PROGRAMS) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    assert packed.keys() == files_of_programs.keys()
    assert packed == files_of_programs
    for name, content in files_of_programs.items():
        assert (built_site / name).read_bytes() == content, name


def test_llms_has_each_page_in_the_order_of_the_menu(built_site):
    said = (built_site / "llms.txt").read_text("utf-8")
    whole = _with_roles((built_site / "llms-full.txt").read_text("utf-8"))
    pages = [name for name in menu(ROOT) if name.endswith(".md")]
    lines = re.findall(rf"^- \[.+\]\({re.escape(ADDRESS)}(.*)\): .", said, re.MULTILINE)
    assert lines == pages and not re.search(":$", said, re.MULTILINE)
    at = 0
    for name in pages:
        if name != "ledger.md":
            at = whole.index(_with_roles((built_site / name).read_text("utf-8")), at)


def test_of_all_pages_in_one_file_the_formulas_have_roles(built_site):
    whole = (built_site / "llms-full.txt").read_text("utf-8")
    formulas = [each.text for each in Source(whole).formulas]
    assert not [each for each in formulas if "textcolor" in each]
    for role in plain.COLORS:
        assert sum(rf"\{role}{{" in each for each in formulas) > 100, role
        assert rf"\{role}" in whole[: whole.index("\n# ", 1)], "what it means"


def _with_roles(text: str) -> str:
    """A page with the roles of factors by their names, and without braces."""
    for role, color in plain.COLORS.items():
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
            place = re.split("[#?]", target)[0]
            if place and not re.match("[a-z]+:", place):
                assert (path.parent / place).is_file(), f"{path}: {target}"


def _buttons(
    has_notebook: bool = True, exercises: str = "", **config: str
) -> dict[str, str]:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT / "overrides/partials"), autoescape=True
    )
    environment.filters["url"] = lambda path: f"../../{path}"
    page = SimpleNamespace(file=SimpleNamespace(src_uri="guide/tape.md"))
    shown = environment.get_template("take.html").render(
        page=page, config=config, has_notebook=has_notebook, exercises=exercises
    )
    document: Any = html.fromstring(shown)
    links = document.xpath("//nav[@aria-label]//a")
    return {link.text_content(): link.get("href") for link in links}


def test_exercises_lead_to_notebooks_where_the_site_has_no_address():
    place = Place("guide/tape.md", str, "", {"guide/vjp.md"}, "exercises")
    assert place.link("vjp.md#type") == "../guide/vjp.ipynb#type"
    assert place.link("../lessons/kink.md") == "../lessons/kink.md"
    assert place.link("#here") == "../guide/tape.md#here"


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
    its = f'**Derive: x.** Derive it.\n\n??? question "Answer"\n\n    `1`{{.answer data-of="{of}"}}\n'
    [found] = exercises.exercises(f"**Other.** No.\n\n{its}")
    assert found.outputs == outputs and found.question == "**Derive: x.** Derive it."


def test_what_marks_an_answer_is_gone_and_its_code_is_whole():
    marked = 'It is **5**{.answer data-name="a"}: `f(x)`{.answer data-of="x^2"}.\n'
    found = plain.pieces(marked, plain.Place("page.md", str), str)
    assert plain.as_markdown(found, str) == "It is **5**: `f(x)`.\n"


RUN = '```python title="x.py"\n--8<-- "p/x.py"\n```\n\n'
PRINTS = '```text title="prints"\n--8<-- "p/x.out"\n```\n'
ANSWER = '??? question "Answer"\n\n    `1`{.answer data-of="x * 1"}\n'
EXERCISES = "exercises/p.ipynb"
TAKEN = {
    "p/x.py": b"print(1)\n",
    "p/x.out": b"1\n",
    "p/odd.py": b"# tracebook: raise\nprint(1)\n",
}
SLIPS = [
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
"""What is served of a page on which something is wrong, in a file that is taken."""


@pytest.mark.parametrize("markdown, name, said", SLIPS)
def test_what_is_wrong_on_one_page_leaves_all_others(markdown, name, said):
    """While it is served; it is reported by who checks it, with its line."""
    pages = [Page("p.md", "P", markdown), Page("q.md", "Q", "# Q\n")]
    taken = dict(Book("A book", "", pages, TAKEN, str).files())
    assert said in taken[name].decode() and "q.md" in taken


def test_buttons():
    notebook = {
        "Notebook": "../../guide/tape.ipynb",
        "Markdown": "../../guide/tape.md",
    }
    assert _buttons(repo_url="") == notebook
    there = {"Exercises": "../../exercises/tape.ipynb"}
    assert _buttons(exercises="exercises/tape.ipynb", repo_url="") == notebook | there
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
    there = [(built.built(built_site, path).parent / link).resolve() for link in links]
    wanted = [_taken(path, built_site, ".md").resolve()]
    if "data-of=" in path.read_text("utf-8"):
        wanted.insert(0, (built_site / "exercises" / f"{path.stem}.ipynb").resolve())
        assert wanted[0].is_file()
    if path in WITH_PROGRAMS:
        wanted.insert(0, _taken(path, built_site, ".ipynb").resolve())
    assert there[: len(wanted)] == wanted
    assert not any(each.suffix == ".ipynb" for each in there[len(wanted) :])
