"""Promise: ``make test`` leaves out the tests that take long and nothing else, and
CONTRIBUTING lists their marks."""

import os
import re
import subprocess
import sys
import tomllib

from .project import ROOT

LEFT_OUT = re.search(r"^LEFT_OUT := (.*)$", (ROOT / "Makefile").read_text(), re.M)[1]
MARKS = {"sample", *LEFT_OUT.split(" or ")}


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
    assert f'-m "sample or not ({LEFT_OUT})"' in _make()
    assert "pytest" in _make("ALL=1") and "not (" not in _make("ALL=1")


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
