"""Promise: what a page shows for other inputs is what the program prints with them.

Most tests use a tiny project without TensorFlow, and the last one this project.
"""

import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import date

import pytest

import reader.programs
from sliders import recording
from tracebook import settings, snippet
from truth import due

from .conftest import EVERY_PROGRAM
from .project import ROOT
from .test_engine import Project

pytestmark = pytest.mark.tools

BOOK = settings.load(ROOT)
PROGRAMS = [each for each in snippet.find(BOOK) if recording.path_of(each).is_file()]

PROGRAM = """def f(x):
    y = 3.0
    return x * y


x = 2.0
z = [1.0, -4.0]
print("x =", x, "f =", f(x))
print("z =", sum(z))
"""
PLUGINS = """
memory = 'store.runs:StoredRuns'
plugins = ['sliders.tracebook_plugin']
"""
TRACE = "x = 2.0 f = 6.0\nz = -3.0\n"


@pytest.fixture
def project(tmp_path, tmp_path_factory):
    project = Project(tmp_path, tmp_path_factory.mktemp("temporary"))
    project.settings(PLUGINS)
    project.add("a", PROGRAM, TRACE)
    return project


def declare(project: Project, text: str) -> None:
    (project.snippets / "a.live").write_text(text)


def recorded(project: Project) -> str:
    return (project.snippets / "a.live").read_text()


def test_update_records_every_combination(project):
    declare(project, "x = 1.0 to 2.0 by 0.5\nz[1] = -4.0, 0.5\n")
    status, printed = project.run("update")
    assert status == 0, printed
    its = recording.load(snippet.find(settings.load(project.root))[0])
    assert its.default == "x = 2.0; z[1] = -4.0"
    assert list(its.outputs) == [
        f"x = {x}; z[1] = {z}" for x in (1.0, 1.5, 2.0) for z in (-4.0, 0.5)
    ]
    assert its.outputs["x = 1.5; z[1] = 0.5"] == "x = 1.5 f = 4.5\nz = 1.5\n"
    assert its.outputs[its.default] == TRACE
    assert project.run("check")[0] == 0
    assert "6 variants" in project.run("check", "--stops")[1]


@pytest.mark.parametrize(
    "declared, problem",
    [
        ("x: 1.0\n", "a.live:1: 'x: 1.0' isn't a parameter"),
        ("x = 1.0, 2.0\nw = 3.0\n", "a.live:2: the program assigns no numeric"),
        ("z = 1.0\n", "a.live:1: the first assignment to z has 2 constants"),
        ("z[2] = 1.0\n", "a.live:1: the assignment to z has 2 constants"),
        ("x = 1, 2\n", "a.live:1: 1 isn't of the type of 2.0"),
        ("x = 2.0, 1.0\n", "a.live:1: the values don't increase"),
        ("x = 1.0, 3.0\n", "a.live:1: 2.0, which is in the program, isn't one"),
        ("x = 1.0, two\n", "a.live:1: 'two' isn't a number"),
        ("x = False, True\n", "a.live:1: the program assigns no numeric"),
        ("x = nan to 2.0 by 1.0\n", "'nan to 2.0 by 1.0' isn't a range"),
        ("x = 1.0 to 2.0 by 0.0\n", "a.live:1: '1.0 to 2.0 by 0.0' has no values"),
        ("x = 1.0 to 2.0 by Infinity\n", "a.live:1: '1.0 to 2.0 by Infinity' has no"),
        (
            "x = 1.0 to 2.5 by 1.0\n",
            "a.live:1: '1.0 to 2.5 by 1.0' has no values, no last",
        ),
        ("x = 1.0, 2.0\nx = 2.0, 3.0\n", "a.live:1: names one constant twice"),
        ("x = 1.0 to 30.0 by 0.1\nz[0] = 1.0, 2.0\n", "has 582 combinations"),
    ],
)
def test_a_wrong_declaration_is_refused_with_its_line(project, declared, problem):
    declare(project, declared)
    status, printed = project.run("check")
    assert status == 1
    assert problem in printed


def test_a_recording_of_another_program_is_refused(project):
    """Stale, edited and incomplete recordings fail without a run."""
    declare(project, "x = 1.0, 2.0\n")
    assert "is of another program" in project.run("check")[1]
    assert project.run("update")[0] == 0
    held = recorded(project)
    program = project.snippets / "a.py"

    # Prints the same with its own input only.
    program.write_text(PROGRAM.replace("x * y", "x + y + 1.0"))
    assert "is of another program" in project.run("check")[1]
    program.write_text(PROGRAM)

    for edited in (
        held.replace("x = 2.0 f = 6.0", "x = 2.0 f = 7.0"),
        held.replace("f = 3.0", "f = 4.0"),
        held[: held.index("=== x = 2.0")],
    ):
        declare(project, edited)
        assert "a.live:1: is of another program" in project.run("check")[1]
        assert project.run("update")[0] == 0
        assert recorded(project) == held


def forge(project: Project, text: str) -> None:
    """Write a record with the digest that belongs to it."""
    declare(project, text)
    record = recording.load(snippet.find(settings.load(project.root))[0])
    assert record
    replace(record, program=record.digest).write()


def test_a_forged_digest_hides_little(project):
    """Only other positions, until all of them run again."""
    declare(project, "x = 1.0, 2.0\n")
    assert project.run("update")[0] == 0
    held = recorded(project)
    forge(project, held[: held.index("=== x = 2.0")])
    assert "lacks combinations" in project.run("check")[1]
    forge(project, held.replace("x = 2.0 f = 6.0", "x = 2.0 f = 7.0"))
    assert "prints something else than its output" in project.run("check")[1]
    forge(project, held.replace("f = 3.0", "f = 4.0"))
    assert project.run("check")[0] == 0
    status, printed = project.run("check", "--stops")
    assert status == 1
    assert re.search(r"-x = 1.0 f = 4.0\n *\+x = 1.0 f = 3.0", printed)


def test_programs_that_cannot_have_sliders_are_refused(project):
    """One stop leaves something to the next, draws a figure that nobody expects, or
    ends the process."""
    declare(project, "x = 1.0, 2.0\n")
    for more, problem in (
        ("import math\nmath.runs = getattr(math, 'runs', 0) + 1\nprint(math.runs)\n",
         "prints something else than its output"),
        ("open('a' + '.svg', 'w').write('<svg/>')\n", "draws a figure"),
        ("import os\nif x < 2.0:\n    os._exit(1)\n", "exit code 1"),
    ):  # fmt: skip
        (project.snippets / "a.py").write_text(PROGRAM + more)
        status, printed = project.run("update")
        assert status == 1
        assert problem in printed


FIGURE = """x, dotted = 2.0, False
for name in "a.svg", "a-dark.svg":
    drawn = f"<svg>{name} {x} {dotted}</svg>"
    open(name, "w").write(drawn)
    assert str(x) in drawn, f"A line at {x:g}."
    if dotted:
        assert "True" in drawn, "It is dotted."
print("x =", x)
"""


@pytest.fixture
def drawing(project):
    project.add("a", FIGURE, "x = 2.0\n")
    declare(project, "x = 1.0, 2.0\ndotted = False, True\n")
    assert project.run("update")[0] == 0
    return project


def figures(project: Project) -> dict[str, str]:
    folder = project.root / "docs" / "figures"
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_a_figure_is_drawn_at_every_position(drawing):
    """The third position is the program as it is, whose figure has no number."""
    drawn = figures(drawing)
    assert {*drawn} == {
        f"{folder}{name}"
        for folder in ("", "0/", "1/", "3/")
        for name in ("a.svg", "a-dark.svg")
    }
    assert drawn["a.svg"] == "<svg>a.svg 2.0 False</svg>"
    assert drawn["1/a-dark.svg"] == "<svg>a-dark.svg 1.0 True</svg>"
    its = recording.load(snippet.find(settings.load(drawing.root))[0])
    assert its.outputs["x = 1.0; dotted = True"] == "x = 1.0\n"
    assert [*its.messages.values()] == [
        ("A line at 1.",),
        ("A line at 1.", "It is dotted."),
        ("A line at 2.",),
        ("A line at 2.", "It is dotted."),
    ]
    assert '"shows":[["A line at 1."],["A line at 1.","It is dotted."]' in its.script()


def test_each_check_draws_every_position_or_remembers_it(drawing):
    folder = drawing.root / "docs" / "figures"
    drawn = figures(drawing)
    for arguments, summary in (
        (("check",), " 4 variants,"),
        (("--remember", "check"), "1 remembered, 0 outputs"),
    ):
        (folder / "1" / "a.svg").unlink(missing_ok=True)
        status, printed = drawing.run(*arguments)
        assert status == 0 and summary in printed, printed
        assert figures(drawing) == drawn
    declare(drawing, "x = 2.0\n")
    assert drawing.run("update")[0] == 0
    assert {*figures(drawing)} == {"a.svg", "a-dark.svg"}


@pytest.mark.parametrize(
    "old, new, problem",
    [
        ("str(x) in drawn", "x > 1.5", "AssertionError: A line at 1."),
        ("name, ", "name + '.txt'[4 * (x > 1.5):], ", "left files behind"),
        ('"a.svg", "a-dark.svg"', '["a.svg", "a-dark.svg"][: int(x)]', "draws no a-d"),
        (
            "{dotted}<",
            "{dotted}{__import__('sys').__dict__.setdefault('n', x)}<",
            "another a",
        ),
    ],
)
def test_a_position_with_a_wrong_figure_is_refused(drawing, old, new, problem):
    text = FIGURE.replace(old, new, 1)
    assert text != FIGURE
    (drawing.snippets / "a.py").write_text(text)
    status, printed = drawing.run("update")
    assert status == 1 and problem in printed, printed


def test_recorded_messages_are_compared_with_each_drawing(drawing):
    declare(drawing, recorded(drawing).replace("It is dotted.", "It is dashed.", 1))
    status, printed = drawing.run("check")
    assert status == 1
    assert re.search(r"---- It is dashed.\n *\+--- It is dotted.", printed), printed


def test_a_position_that_changes_later_ones_is_refused(project):
    counts = "import math\nmath.n = getattr(math, 'n', 0) + 1\nprint(math.n)\n"
    project.add("c", f"x = 1.0\n{counts}", "1\n")
    (project.snippets / "c.live").write_text("x = 1.0, 2.0\n")
    status, printed = project.run("update")
    assert status == 1 and "prints something else than its output" in printed


def test_a_page_shows_the_program_s_own_output_to_the_last_digit(project):
    project.add("d", "x = 2.0\nprint(x / 3.0)\n", "0.6666667\n")
    (project.snippets / "d.live").write_text("x = 1.0, 2.0\n")
    assert project.run("update")[0] == 0
    its = recording.load(snippet.find(settings.load(project.root))[1])
    assert its.outputs["x = 2.0"] == "0.6666666666666666\n"
    assert '["0.3333333333333333\\n","0.6666667\\n"]' in its.script()


def test_scripts_change_with_their_files(project):
    declare(project, "x = 1.0, 2.0\n")
    assert project.run("update")[0] == 0
    loaded = settings.load(project.root)
    for output in (TRACE, TRACE.replace("6.0", "6.00")):
        (project.snippets / "a.out").write_text(output)
        [(name, script)] = recording.scripts(loaded)
        assert name == "a.live.js" and json.dumps(output) in script


@pytest.mark.parametrize(
    "text", ['-8<- "a.out:1:2"', "![](../figures/a.svg#only-light)", '--8<-- "a.out"']
)
def test_a_page_depends_on_the_sliders_of_all_that_it_shows(project, text):
    given = "page.md", text, project.root / "docs", project.root
    before = reader.programs.cache_key(*given)
    declare(project, "x = 1.0, 2.0\n")
    assert reader.programs.cache_key(*given) != before


def test_programs_that_are_open_have_sliders():
    """And one of each lesson is open."""
    for page in sorted(BOOK.docs_dir.rglob("*.md")):
        opened = re.findall(
            r'^ *```\{\.python [^}]*\.open\b[^}]*\}\n *-+8<-+ "(\S+)\.py"',
            page.read_text("utf-8"),
            re.MULTILINE,
        )
        for stem in opened:
            assert (BOOK.snippets_dir / f"{stem}.live").is_file(), (page, stem)
        if page.parent.name == "lessons" and page.stem != "index":
            assert len(opened) == 1, page


def test_an_open_line_is_ended_before_the_next_position(project):
    project.add("e", "x = 2.0\nprint(x, end='')\n", "2.0\n")
    (project.snippets / "e.live").write_text("x = 1.0, 2.0\n")
    assert project.run("update")[0] == 0


def test_an_error_at_a_position_is_recorded_as_it_is_printed(project):
    project.add("b", "x = 2.0\nassert x > 1.0, 'too small'\nprint(x)\n", "2.0\n")
    (project.snippets / "b.live").write_text("x = 1.0, 2.0\n")
    assert project.run("update")[0] == 0
    printed = (project.snippets / "b.live").read_text()
    assert "=== x = 1.0\nAssertionError: too small\n=== x = 2.0\n2.0\n" in printed


def test_each_position_has_the_time_of_a_program(project):
    """Here it is one second of the processor."""
    works = """import time

x = 2.0
end = time.process_time() + 0.6
while time.process_time() < end or x == 9.0:
    pass
print(x)
"""
    project.add("a", works, "2.0\n")
    declare(project, "x = 1.0 to 4.0 by 1.0\n")
    status, printed = project.run("update")
    assert status == 0, printed
    assert "x = 4.0\n4.0" in recorded(project)
    declare(project, "x = 2.0, 9.0\n")
    status, printed = project.run("update")
    assert status == 1 and "used more than 1 second of the processor" in printed


def test_noise_of_repeated_runs_is_dropped(project):
    project.settings(f"{PLUGINS}\n[tool.sliders]\nnoise = ['WARNING \\d+ times']")
    counts = "import math\nmath.n = getattr(math, 'n', 0) + 1\n"
    counts += "if math.n > 1:\n    print('WARNING', math.n, 'times')\n"
    (project.snippets / "a.py").write_text(counts + PROGRAM)
    declare(project, "x = 1.0, 2.0, 3.0\n")
    status, printed = project.run("update")
    assert status == 0, printed
    assert "WARNING" not in recorded(project)
    assert project.run("--stops", "check")[0] == 0


def test_sliders_need_their_program(project):
    (project.snippets / "gone.live").write_text("x = 1.0\n")
    assert "gone.live: belongs to gone.py, which is missing" in project.run("check")[1]


def test_a_constant_is_changed_where_it_stands(project):
    """A constant outside the function, behind a letter of two bytes, with a sign."""
    text = "def f():\n    x = 1.0\n\n\nä, x = 5.0, -2.5\nprint(ä, x)\n"
    (project.snippets / "a.py").write_text(text)
    declare(project, "x = -2.5, 7.0\n")
    its = recording.load(snippet.find(settings.load(project.root))[0])
    assert its.text(("7.0",)) == text.replace("-2.5", "7.0")


def ran_at_every_stop(programs: list[snippet.Snippet]) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "tracebook", "--stops", "check"]
        + [each.label for each in programs],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    count = len([at for each in programs for at in recording.load(each).outputs])
    assert f" {count} variants," in checked.stdout


@pytest.mark.tools(False)
@pytest.mark.slow
@pytest.mark.parametrize("part", [pytest.param(0, marks=pytest.mark.sample), 5])
def test_two_tenths_a_day_print_what_is_recorded(part):
    """Of the programs of this book, and those whose record changed. In the shards of
    the workflow, all of them do."""
    day = date.today().toordinal()
    some = (
        PROGRAMS[part // 5 :: 2] if EVERY_PROGRAM else PROGRAMS[(day + part) % 10 :: 10]
    )
    edited = due.changed_files(ROOT)
    changed = [p for p in PROGRAMS if BOOK.label(recording.path_of(p)) in edited]
    ran_at_every_stop([*dict.fromkeys(some + changed)])
