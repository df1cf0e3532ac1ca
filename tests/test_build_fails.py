"""Promise: what does not hold does not get built. Mistakes are planted into a
copy of the project, and the real command is run on it."""

import os
import subprocess
from pathlib import Path

import pytest

from .project import ROOT, edit, python, run

pytestmark = pytest.mark.builds
LESSON = "docs/lessons/chain_rule.md"
PROGRAM = "snippets/lessons/chain_rule/chain_rule"


def build(project: Path, before: str = "", remember: str = "1") -> tuple[int, str]:
    """Only what changed runs, but where all is to be run."""
    done = subprocess.run(
        f"{before} make build",
        shell=True,
        cwd=project,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
        env={**os.environ, "NO_COLOR": "1", "TRACEBOOK_REMEMBER": remember},
    )
    return done.returncode, done.stdout


MISTAKES = {
    "a digit of a trace": (
        PROGRAM + ".out",
        "upstream = 32",
        "upstream = 33",
        PROGRAM + ".out:{line}: " + PROGRAM + ".py prints",
    ),
    "a constant of a snippet": (
        "snippets/index/index.py",
        "tf.constant(100.0)",
        "tf.constant(90.0)",
        "snippets/index/index.py prints something else",
    ),
    "a snippet that raises": (
        "snippets/lessons/chain_rule/check.py",
        "tf.constant(",
        "tf.konstant(",
        "snippets/lessons/chain_rule/check.py:{line}: raised AttributeError",
    ),
    "an include of what is not there": (
        LESSON,
        '"lessons/chain_rule/wrong/f_string.py"\n```',
        '"lessons/chain_rule/wrong/f_strink.py"\n```',
        LESSON + ":{line}: embeds lessons/chain_rule/wrong/f_strink.py",
    ),
    "a formula": (
        LESSON,
        r"\frac{\d y}{\d x}",
        r"\frac{\d y}{\d x",
        LESSON + ":{line}: formula does not convert",
    ),
    "a command that LaTeX does not know": (
        LESSON,
        r"\qquad",
        r"\qqquad",
        LESSON + ':{line}: formula does not convert: Unknown command "\\qqquad"',
    ),
    "a link to a page": (
        LESSON,
        "After this lesson",
        "After [this lesson](lesson.md)",
        "lessons/chain_rule.md' contains a link 'lesson.md'",
    ),
    "a link to an anchor": (
        LESSON,
        "From here on",
        "[From here](#lesson) on",
        "contains a link '#lesson'",
    ),
}


def test_the_copy_builds(project):
    code, said = build(project, remember="0")
    assert code == 0, said
    assert (project / "site" / "index.html").exists()


def plant_a_last_site(project: Path) -> None:
    (project / "site").mkdir()
    (project / "site" / "index.html").write_text("the last good site")


def is_whole(project: Path) -> bool:
    """Whether the last site is still there, and nothing beside it."""
    last = project / "site" / "index.html"
    return last.read_text() == "the last good site" and not list(
        project.glob(".site-*")
    )


@pytest.mark.parametrize(
    "mistakes",
    [["a digit of a trace"], ["a link to an anchor"], [*MISTAKES]],
    ids=["a trace alone", "a page alone", "all at once"],
)
def test_fails_and_keeps_the_last_site(project, mistakes):
    plant_a_last_site(project)
    expected = []
    for name, old, new, message in map(MISTAKES.__getitem__, mistakes):
        line = edit(project / name, old, new)
        expected.append(message.replace("{line}", str(line)))
    code, said = build(project)
    assert code != 0, said
    said = " ".join(said.split("\n"))
    assert [message for message in expected if message not in said] == [], said
    assert is_whole(project)


def test_without_results_of_truth_nothing_is_built(project):
    """Also by MkDocs alone; it says for which pages, and what to run."""
    command = ("mkdocs", "build", "-f", str(project / "mkdocs.yml"))
    (project / ".cache/results.db").unlink()
    code, said = run(project, *command)
    assert code == 1, said
    for page in (LESSON, "docs/index.md"):
        assert f"{page}: not checked as it is now" in said
    assert "run: python -m truth" in said


def test_a_false_formula_is_not_built(project):
    its_half = r"= \local{\frac{\d y}{\d x_0}} \cdot"
    edit(project / LESSON, its_half, its_half.replace("=", "= 2"))
    code, said = run(project, "truth", LESSON)
    assert code == 1, said
    code, said = run(project, "mkdocs", "build")
    assert code == 1 and f"{LESSON}:" in said, said


def test_a_site_that_cannot_be_written_keeps_the_last_one(project):
    """As on a full disk: no file may be longer than the pages, as styles are."""
    plant_a_last_site(project)
    code, said = build(project, before="ulimit -f 100;")
    assert code != 0 and "File too large" in said, said
    assert is_whole(project)


def test_the_page_about_checks_shows_what_a_mistake_looks_like(project):
    edit(project / (PROGRAM + ".out"), "local = 32", "local = 33")
    done = subprocess.run(
        [python(project), "-m", "tracebook", "check", PROGRAM + ".py"],
        cwd=project,
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 1
    said = [
        line for line in done.stderr.splitlines() if not line.startswith("tracebook: ")
    ]
    shown = (ROOT / "docs/checked.md").read_text()
    assert "```text\n" + "\n".join(said) + "\n```" in shown
