"""Promise: a table is what a run shows, and nobody edits its record by hand."""

import shutil
from pathlib import Path

import pytest

from takeaway import commonmark
from tracebook import settings
from tracebook.pages import problems as page_problems
from truth import tables
from truth.page import Page
from truth.structure import fences
from truth.tables import includes

from .project import ROOT
from .table_records import record

NAMES = tables.names(ROOT)
SAMPLE = "when_grad_runs"
BODY = "| Place | cut |\n| --- | --- |\n| eager | None |\n| loop | 0 |"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.sample] if name == SAMPLE else [])
        for name in NAMES
    ],
)
def test_a_table_is_what_a_run_shows(name):
    from .tables import compute  # TensorFlow takes seconds to import

    known = tables.load(ROOT, name)
    assert known and compute(name, known) == known.body


def test_the_records_of_the_site_are_of_runs():
    assert not [*tables.problems(ROOT)]


def test_a_table_stands_outside_of_fences(tmp_path):
    path = ROOT / "docs/systems/modes.md"
    include = '--8<-- "tables/cut_path.md"'
    for text, messages in (
        (f"# Page\n\n{include}\n", []),
        (f"# Page\n\n```text\n{include}\n```\n", ["a table stands in no fence"]),
        (
            '# Page\n\n--8<-- "guide/tape/tape.out"\n',
            [
                "the output of guide/tape/tape.py; the program above it is none",
                "an include stands in a fence",
            ],
        ),
    ):
        findings = fences.check(Page(path, ROOT, text))
        assert [finding.detail for finding in findings] == messages


def test_the_markdown_of_a_page_contains_its_tables():
    links = commonmark.LinkResolver("systems/page.md", str)
    tables_of_page = {"tables/cut.md": f"<!-- table cut -->\n\n{BODY}\n"}
    text = '# Page\n\nBefore.\n\n--8<-- "tables/cut.md"\n\nAfter.\n'
    [piece] = commonmark.split(text, links, tables_of_page.__getitem__)
    assert piece == f"# Page\n\nBefore.\n\n{BODY}\n\nAfter."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one table, ``cut``, and its record."""
    for folder in (tables.CODE, tables.RECORDS, Path("tests/harness")):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / tables.CODE / "__init__.py").write_text("NAMES = ['cut']\n")
    (tmp_path / tables.CODE / "cut.py").write_text("def table(): ...\n")
    (tmp_path / "tests/harness/places.py").write_text("PLACES = []\n")
    path(tmp_path).write_text(record(tmp_path, "cut", BODY))
    return tmp_path


def path(project: Path, name: str = "cut") -> Path:
    """Return the path of a record."""
    return project / tables.RECORDS / f"{name}.md"


CHANGED = "what it was computed from has changed; run: python -m tests.tables cut"


def problems(project: Path) -> list[tuple[str, str]]:
    """Return the path and the message of each problem."""
    return [(path, message) for path, _, message in tables.problems(project)]


def test_a_record_with_the_right_digests_passes(project):
    assert problems(project) == []
    assert tables.load(project, "cut").body == BODY


@pytest.mark.parametrize("before, after", [("None", "0"), ("loop", "loop, branch")])
def test_an_edited_cell_is_refused(project, before, after):
    text = path(project).read_text()
    assert before in text
    path(project).write_text(text.replace(before, after))
    message = "edited by hand, or never filled; run: python -m tests.tables cut"
    assert problems(project) == [("snippets/tables/cut.md", message)]


@pytest.mark.parametrize(
    "source", ["tables/cut.py", "tables/__init__.py", "harness/places.py"]
)
def test_a_changed_source_is_stale(project, source):
    with (project / "tests" / source).open("a") as file:
        file.write("# changed\n")
    assert problems(project) == [("snippets/tables/cut.md", CHANGED)]


def test_another_version_is_stale(project, monkeypatch):
    monkeypatch.setattr(tables.metadata, "version", lambda package: "0.1")
    assert problems(project) == [("snippets/tables/cut.md", CHANGED)]


def test_another_table_is_no_source(project):
    (project / tables.CODE / "other.py").write_text("def table(): ...\n")
    text = record(project, "other", BODY)
    path(project, "other").write_text(text)
    assert problems(project) == []


def test_a_table_without_a_record_and_a_record_without_a_table_are_refused(project):
    shutil.move(path(project), path(project, "cat"))
    assert problems(project) == [
        ("tests/tables/cut.py", "has no record; run: python -m tests.tables cut"),
        ("snippets/tables/cat.md", "is of no table; write tests/tables/cat.py"),
    ]


@pytest.mark.parametrize(
    "first", ["", "| Place | cut |", "<!-- table cat: 0, made from 0 -->"]
)
def test_a_record_that_does_not_begin_as_one_is_refused(project, first):
    path(project).write_text(f"{first}\n\n{BODY}\n")
    [(_, line, message)] = tables.problems(project)
    assert line == 1 and message.startswith("doesn't begin as a record")


def test_a_page_includes_a_record_and_a_record_needs_a_page(project):
    (project / "docs").mkdir()
    (project / "pyproject.toml").touch()
    page = project / "docs/page.md"
    page.write_text("# Page\n")
    book = settings.load(project)
    messages = [str(problem) for problem in page_problems(book, [], (), includes(book))]
    assert messages == ["snippets/tables/cut.md: no page shows it"]
    page.write_text('# Page\n\n--8<-- "tables/cut.md"\n')
    assert [*page_problems(book, [], (), includes(book))] == []
    page.write_text('--8<-- "tables/cut.md"\n\n--8<-- "tables/none.md"\n')
    [problem] = page_problems(book, [], (), includes(book))
    assert problem.message == "embeds tables/none.md, which is not in snippets/"


@pytest.mark.slow
@pytest.mark.sample
class TestMarkdown:
    """How cells and rows become a table."""

    def test_equal_rows_of_a_family_are_one_and_equal_columns_too(self):
        from .tables import markdown, merged

        families = [
            {"eager": "ab", "inside": "ab", "outside": "bb"},
            {"loop, inside": "cc", "loop, outside": "cc", "branch, inside": "ab"},
        ]
        rows = merged(families)
        assert rows == [
            ["eager, inside", "a", "b"],
            ["outside", "b", "b"],
            ["loop", "c", "c"],
            ["branch (inside)", "a", "b"],
        ]
        assert markdown(["Place", "one", "two"], rows).count("|") == 4 * 6
        equal = markdown(["Place", "one", "two"], [["eager", "a", "a"]])
        assert equal == "| Place | one, two |\n| --- | --- |\n| eager | a |"

    def test_cells_show_numbers_none_and_exceptions(self):
        from .tables import cell

        def fail():
            raise LookupError("no gradient")

        assert cell(lambda: None) == "None"
        assert cell(lambda: [2.0, 2.0]) == "2"
        assert cell(lambda: [1.0, 2.0]) == "[1., 2.]"
        assert cell(fail) == "raises LookupError"


CALLS = [name for name in NAMES if "/" in name]


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_fix_gives_the_same_gradient_in_every_mode(name):
    """Or the page has a table of the fix's modes, too."""
    from .tables import modes

    record = tables.load(ROOT, name)
    assert record
    fix = modes.fix_of(record)
    records = filter(None, (tables.load(ROOT, other) for other in CALLS))
    shown = {modes.call_of(other) for other in records}
    if fix is None or fix in shown or not (ROOT / "snippets" / fix.program).is_file():
        assert not modes.names_fix(record) or fix in shown
        return
    try:
        outcomes = {*modes.shown(fix).values()}
    except ValueError:
        assert not modes.names_fix(record), "the call of the fix can't be evaluated"
        return
    is_one = len(outcomes) == 1 and not any("Error: " in text for text in outcomes)
    assert is_one or not modes.names_fix(record), outcomes
