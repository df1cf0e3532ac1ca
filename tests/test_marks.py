"""Promise: ``make test`` leaves out the tests that take long, and those of the tools that
passed with this code; CONTRIBUTING lists their marks."""

import os
import re
import subprocess
import sys
import tomllib
from types import SimpleNamespace
from typing import Any

import pytest

from . import conftest, held
from .project import ROOT

LEFT_OUT = re.search(r"^LEFT_OUT := (.*)$", (ROOT / "Makefile").read_text(), re.M)[1]
MARKS = {"sample", "tools", *LEFT_OUT.split(" or ")}


def test_each_mark_is_registered_and_documented():
    pytest_has = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    registered = pytest_has["ini_options"]["markers"]
    assert {each.partition(":")[0] for each in registered} == MARKS
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = contributing.partition("| Mark |")[2].partition("\n\n")[0]
    assert {*re.findall(r"^\| `(\w+)`", table, re.MULTILINE)} == MARKS


def _make(*words: str) -> str:
    """What make would run; these tests may themselves run under `make test ALL=1`."""
    inherited = ("ALL", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL")
    return subprocess.run(
        ["make", "--dry-run", "test", *words],
        cwd=ROOT,
        text=True,
        capture_output=True,
        env={name: v for name, v in os.environ.items() if name not in inherited},
    ).stdout


def test_all_leaves_nothing_out():
    assert f'--held -m "sample or not ({LEFT_OUT})"' in _make()
    everything = _make("ALL=1")
    assert "pytest" in everything
    assert "not (" not in everything and "--held" not in everything


def test_samples_run_and_no_plugin_is_needed():
    """Files with a mark have samples; pytest also runs without xdist."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:xdist", "--collect-only", "-q"),
            *("-m", f"sample or not ({LEFT_OUT})"),
            *("tests/test_plain_python.py", "tests/test_composition.py"),
        ],
        cwd=ROOT,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    collected = [line for line in done.stdout.splitlines() if "::" in line]
    assert len(collected) == 4, done.stdout


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ("src/tracebook/judge.py", True),
        ("tests/test_engine.py", True),
        ("tests/data/new.txt", True),
        ("tests/composition/measure.py", True),
        ("overrides/main.html", True),
        ("requirements.txt", True),
        (".gitattributes", True),
        ("docs/guide/tape.md", False),
        ("snippets/guide/tape/tape.py", False),
        ("tests/statements/guide/tape.py", False),
        ("tests/rules.lock", False),
    ],
)
def test_the_lock_of_the_tools_is_of_their_code(tmp_path, changed, counts):
    for name in ("src/tracebook/judge.py", "tests/test_engine.py", changed):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("as it was")
    assert not held.is_current(tmp_path)
    held.write(tmp_path)
    assert held.is_current(tmp_path)
    (tmp_path / changed).write_text("changed")
    assert held.is_current(tmp_path) != counts
    (tmp_path / held.LOCK).write_text("forged 2026-01-01")
    assert not held.is_current(tmp_path)


@pytest.mark.parametrize(
    "taken",
    [
        {"held": False},
        {"markexpr": "browser"},
        {"markexpr": ""},
        {"markexpr": "sample or not (slow or tools)"},
        {"keyword": "tape"},
        {"deselect": ["tests/test_engine.py"]},
        {"ignore": ["tests/test_engine.py"]},
        {"args": ["tests/test_engine.py"]},
        {"lf": True},
        {"stepwise": True},
        {"splits": 2},
    ],
    ids=str,
)
def test_only_the_whole_default_run_renews_the_lock(taken):
    default = {"keyword": "", "collectonly": False, "deselect": None, "ignore": None}
    default |= {"ignore_glob": None, "held": True, "args": ["tests"]}
    default |= {"markexpr": f"sample or not ({LEFT_OUT})"}

    def config(its: dict) -> Any:
        return SimpleNamespace(
            option=SimpleNamespace(**its), args=its["args"], getini=lambda _: ["tests"]
        )

    assert held.is_renewed_by(config(default))
    assert not held.is_renewed_by(config(default | taken))


def test_a_run_during_which_the_code_changed_renews_nothing(monkeypatch):
    written = []
    monkeypatch.setattr(held, "is_renewed_by", lambda _: True)
    monkeypatch.setattr(held, "is_current", lambda: False)
    monkeypatch.setattr(held, "write", lambda: written.append("written"))
    session: Any = SimpleNamespace(config=SimpleNamespace())
    conftest.pytest_sessionfinish(session, 0)
    assert written == ["written"]
    monkeypatch.setattr(held, "key", lambda: "of another code")
    conftest.pytest_sessionfinish(session, 0)
    assert written == ["written"]


FILE = """
import pytest

pytestmark = pytest.mark.tools


def test_reads_a_page():
    open({page!r}).close()


@pytest.mark.tools(False)
def test_says_that_it_reads_one():
    open({page!r}).close()


@pytest.mark.parametrize("n", range(200))
def test_reads_none(n):
    open(__file__).close()
"""


HOOKS = """
from tests import held
from tests.conftest import *

held.is_current = lambda: True
"""


def test_a_test_of_the_tools_reads_no_page(tmp_path):
    """And of those that passed with this code, a sample runs."""
    (tmp_path / "conftest.py").write_text(HOOKS)
    page = str(ROOT / "docs/index.md")
    (tmp_path / "test_it.py").write_text(FILE.format(page=page))

    def run(*more: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-W", "ignore", *more],
            cwd=tmp_path,
            text=True,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TRUTH_ALL": ""},
        ).stdout

    said = run()
    assert "1 failed, 201 passed" in said, said
    assert "has the mark tools, and reads docs/index.md" in said
    said = run("--held", "-k", "none")
    ran = int(re.search(r"(\d+) passed", said)[1])
    assert 1 <= ran <= 40 and "deselected" in said, said
