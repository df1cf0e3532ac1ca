"""Promise: what does not hold does not get built. One mistake at a time is
planted into a copy of the project, and the real command is run on it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("docs", "snippets", "overrides", "tracebook", "formulas",
         "mkdocs.yml", "pyproject.toml", "Makefile", "requirements.txt", ".ci")
LESSON = "docs/lessons/chain_rule.md"


@pytest.fixture
def project(tmp_path):
    """A copy that keeps the home page and one lesson, to build it often."""
    for part in PARTS:
        source, target = ROOT / part, tmp_path / part
        if source.is_dir():
            shutil.copytree(source, target,
                            ignore=shutil.ignore_patterns("figures", "__pycache__"))
        else:
            shutil.copy(source, target)
    (tmp_path / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    for path in [*tmp_path.glob("docs/**/*.md"), *tmp_path.glob("docs/labs/*.py")]:
        if path.relative_to(tmp_path).as_posix() not in (LESSON, "docs/index.md"):
            path.unlink()
    for path in (p for p in tmp_path.glob("snippets/**/*") if p.is_file()):
        if not path.name.startswith(("chain_rule", "index")):
            path.unlink()
    for page in tmp_path.glob("docs/**/*.md"):
        page.write_text(_without_links_to_what_is_gone(page))
    config = tmp_path / "mkdocs.yml"
    config.write_text(re.sub(
        r"^nav:\n.*?^(?=\S)", f"nav:\n  - index.md\n  - {LESSON[5:]}\n\n",
        config.read_text(), flags=re.DOTALL | re.MULTILINE))
    return tmp_path


def _without_links_to_what_is_gone(page: Path) -> str:
    def keep(link: re.Match) -> str:
        target = link[2].partition("#")[0]
        there = not target or "://" in target or (page.parent / target).exists()
        return link[0] if there else link[1]

    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)(\{[^}]*\})?", keep, page.read_text())


def build(project: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["make", "build"], cwd=project, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=120,
        env={**os.environ, "NO_COLOR": "1"})
    return done.returncode, done.stdout


def edit(path: Path, old: str, new: str) -> int:
    """Replace the first ``old``; the number of the line it was in."""
    text = path.read_text()
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1))
    return text[:text.index(old)].count("\n") + 1


MISTAKES = {
    "a digit of a trace": (
        "snippets/chain_rule.out", "upstream = 32", "upstream = 33",
        "snippets/chain_rule.out:{line}: snippets/chain_rule.py prints"),
    "a constant of a snippet": (
        "snippets/chain_rule.py", "tf.constant(2.0)", "tf.constant(3.0)",
        "snippets/chain_rule.py prints something else"),
    "a snippet that raises": (
        "snippets/chain_rule.py", "x = tf.constant(2.0)", "x = tf.konstant(2.0)",
        "snippets/chain_rule.py:{line}: raised AttributeError"),
    "an include of what is not there": (
        LESSON, '"chain_rule.py"\n```', '"chain_rool.py"\n```',
        LESSON + ":{line}: embeds chain_rool.py"),
    "a formula": (
        LESSON, r"\frac{\d y}{\d x}", r"\frac{\d y}{\d x",
        LESSON + ":{line}: formula does not convert"),
    "a command that LaTeX does not know": (
        LESSON, r"\qquad", r"\qqquad",
        LESSON + ':{line}: formula does not convert: Unknown command "\\qqquad"'),
    "a link to a page": (
        LESSON, "the first lesson", "[the first](lesson.md)",
        "lessons/chain_rule.md' contains a link 'lesson.md'"),
    "a link to an anchor": (
        LESSON, "the first lesson", "[the first](#lesson)",
        "contains a link '#lesson'"),
}


def test_the_copy_builds(project):
    code, said = build(project)
    assert code == 0, said
    assert (project / "site" / "index.html").exists()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_fails_and_keeps_the_last_site(project, mistake):
    (project / "site").mkdir()
    (project / "site" / "index.html").write_text("the last good site")
    name, old, new, message = MISTAKES[mistake]
    line = edit(project / name, old, new)
    code, said = build(project)
    assert code != 0, said
    assert message.replace("{line}", str(line)) in " ".join(said.split("\n")), said
    assert (project / "site" / "index.html").read_text() == "the last good site"
    assert not list(project.glob(".site-*"))


def test_the_page_about_checks_shows_what_a_mistake_looks_like(project):
    edit(project / "snippets/chain_rule.out", "local = 32", "local = 33")
    done = subprocess.run(
        [sys.executable, "-m", "tracebook", "check", "snippets/chain_rule.py"],
        cwd=project, text=True, capture_output=True, timeout=60)
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines()
            if not line.startswith("tracebook: ")]
    shown = (ROOT / "docs/checked.md").read_text()
    assert "```text\n" + "\n".join(said) + "\n```" in shown
