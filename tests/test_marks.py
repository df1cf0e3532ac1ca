"""Promise: ``make test`` leaves out the tests that take long, and most of those of the
tools unless the tools changed; CONTRIBUTING lists their marks."""

import os
import re
import subprocess
import sys
import tomllib
from types import SimpleNamespace
from typing import Any

import pytest

from truth import due

from . import conftest
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
    assert f'--share -m "sample or not ({LEFT_OUT})"' in _make()
    everything = _make("ALL=1")
    assert "pytest" in everything
    assert "not (" not in everything and "--share" not in everything


def test_samples_run_and_no_plugin_is_needed():
    """Files with a mark have samples; pytest also runs without xdist."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:xdist", "--collect-only", "-q"),
            *("-m", f"sample or not ({LEFT_OUT})"),
            *("tests/test_plain_python.py", "tests/test_tables.py"),
        ],
        cwd=ROOT,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    collected = [line for line in done.stdout.splitlines() if "::" in line]
    slow = [name for name in collected if "a_table_is_what_a_run_shows" in name]
    assert len(slow) == 1, done.stdout
    assert sum("test_plain_python" in name for name in collected) == 2, done.stdout


@pytest.mark.parametrize(
    ("changed", "runs"),
    [
        ("src/tracebook/checker.py", True),
        ("tests/test_engine.py", True),
        ("overrides/main.html", True),
        ("requirements.txt", True),
        ("docs/guide/tape.md", False),
        ("snippets/guide/tape/tape.py", False),
        ("tests/claims/guide/tape.py", False),
    ],
)
def test_tests_of_the_tools_run_when_the_tools_changed(monkeypatch, changed, runs):
    monkeypatch.setattr(due, "changed_files", lambda _: frozenset([changed]))
    monkeypatch.setattr(due, "is_today", lambda _: False)

    def item(
        *arguments: object, fixtures: tuple[str, ...] = (), others: tuple[str, ...] = ()
    ) -> Any:
        tools = SimpleNamespace(name="tools", args=arguments)
        marks = [tools, *(SimpleNamespace(name=name) for name in others)]
        return SimpleNamespace(
            get_closest_marker=lambda _: tools,
            iter_markers=lambda: marks,
            fixturenames=fixtures,
            nodeid="tests/test_other.py::test",
        )

    assert conftest.is_left_out(item()) != runs
    assert not conftest.is_left_out(item(False))
    assert not conftest.is_left_out(item(fixtures=("built_site",)))
    assert conftest.is_left_out(item(False, others=("slow",)))
    assert not conftest.is_left_out(item(False, others=("slow", "sample")))
    monkeypatch.setattr(due, "is_today", lambda _: True)
    assert not conftest.is_left_out(item())
    assert not conftest.is_left_out(item(others=("slow",)))
