"""Promise: a run is remembered only while nothing that it depends on has changed."""

import importlib.metadata
import json
import os
import platform
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from store import fingerprint
from store.database import Store
from store.runs import StoredRuns
from tracebook import settings, snippet
from tracebook.checker import Checker
from tracebook.runner import Run

from .project import ROOT

pytestmark = pytest.mark.tools

MEMORY = "memory = 'store.runs:StoredRuns'\n"
RUN = Run("one\n", figures={"x.svg": b"<svg/>", "x.png": b"\x89\xff"})


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        f"[tool.tracebook]\ntime_limit = 5\n{MEMORY}"
    )
    (tmp_path / "snippets").mkdir()
    (tmp_path / "snippets/x.py").write_text("print('one')\n")
    (tmp_path / "snippets/x.out").write_text("one\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/p.md").write_text('--8<-- "x.py"\n--8<-- "x.out"\n')
    return tmp_path


def check(project: Path, *arguments: str, **more: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-m", "tracebook", "--json", *arguments, "check"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **more},
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def ran(project: Path, *arguments: str, **more: str) -> int:
    report = check(project, *arguments, **more)
    assert report["ran"] + report["remembered"] == 1 and not report["problems"]
    return report["ran"]


def test_only_with_the_option_a_run_is_remembered(project):
    assert [ran(project), ran(project), ran(project, "--remember")] == [1, 1, 0]
    assert ran(project, TRACEBOOK_REMEMBER="1") == 0
    assert check(project, "--remember")["outputs"] == {"x.py": "one\n"}


def test_a_remembered_run_is_compared(project):
    ran(project)
    (project / "snippets/x.out").write_text("two\n")
    report = check(project, "--remember")
    assert report["ran"] == 0
    assert [each["location"] for each in report["problems"]] == ["snippets/x.out:1"]


def test_an_observed_run_is_remembered_if_its_output_is_right(
    project, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("observer")
    (folder / "looks_on.py").write_text("def begin(snippet):\n    return lambda: 7\n")
    path = os.pathsep.join([str(ROOT / "src"), str(folder)])
    toml = project / "pyproject.toml"
    for text, then in (("'one'", 0), ("'o' 'ne'", 0), ("'two'", 1)):
        (project / "snippets/x.py").write_text(f"print({text})\n")
        plain = toml.read_text()
        toml.write_text(plain + "observer = 'looks_on'\n")
        for _ in range(2):  # nothing is seen of what is remembered
            report = check(project, "--remember", PYTHONPATH=path)
            assert report["ran"] == 1 and report["observed"] == {"x.py": 7}
        toml.write_text(plain)
        assert check(project, "--remember", PYTHONPATH=path)["ran"] == then


def test_what_ended_before_an_interruption_is_remembered(project):
    (project / "snippets/y.py").write_text("import time\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "tracebook", "check"]
    with subprocess.Popen(command, cwd=project) as both:
        results = project / ".cache/results.db"
        while both.poll() is None and count_of_rows(results) == 0:
            time.sleep(0.05)
        both.terminate()
    assert both.returncode == 128 + signal.SIGTERM  # it hadn't ended
    (project / "snippets/y.py").unlink()
    assert ran(project, "--remember") == 0


def count_of_rows(results: Path) -> int:
    try:
        with closing(sqlite3.connect(results)) as connection:
            return connection.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.Error:  # there is no file yet, or no table
        return 0


def test_a_failed_run_is_not_remembered(project):
    (project / "snippets/x.py").write_text("print('one')\nraise ValueError\n")
    assert [check(project, "--remember")["ran"] for _ in range(2)] == [1, 1]


def test_a_copy_of_the_project_remembers(project, tmp_path_factory):
    ran(project)
    copy = tmp_path_factory.mktemp("copy") / "book"
    shutil.copytree(project, copy)
    assert ran(copy, "--remember") == 0


def test_a_changed_program_setting_or_environment_runs_again(project):
    assert [ran(project), ran(project, "--remember")] == [1, 0]
    assert ran(project, "--remember", OMP_NUM_THREADS="1") == 1
    assert ran(project, "--remember", TF_ENABLE_ONEDNN_OPTS="0") == 1
    (project / "pyproject.toml").write_text(
        f"[tool.tracebook]\ntime_limit = 6\n{MEMORY}"
    )
    assert ran(project, "--remember") == 1
    (project / "snippets/x.py").write_text("print('one') \n")
    assert ran(project, "--remember") == 1


@pytest.fixture
def known(project):
    """Settings and a program whose run is in the store."""
    at_first = settings.load(project)
    (program,) = snippet.find(at_first)
    StoredRuns(at_first).keep(program, RUN)
    return at_first, program


def test_a_remembered_run_is_that_run(known):
    assert StoredRuns(known[0]).recall(known[1]) == RUN


def _package(name: str, version: str) -> list[SimpleNamespace]:
    return [SimpleNamespace(name=name, version=version)]


PACKAGES = importlib.metadata.distributions
CHANGES = {
    "interpreter": (sys, "version", sys.version + "!"),
    "system": (sys, "platform", "other"),
    "libc": (platform, "libc_ver", lambda: ("other", "1")),
    "machine": (platform, "machine", lambda: "other"),
    "cores": (fingerprint, "cores", lambda: 99),
    "processor": (fingerprint, "_text", lambda path: "flags : other"),
    "package": (
        importlib.metadata,
        "distributions",
        lambda: [*PACKAGES(), *_package("other", "1")],
    ),
}


@pytest.fixture
def anew():
    """Digests are computed once for each process; this function computes them again."""

    def clear() -> None:
        fingerprint.environment.cache_clear()
        fingerprint.code.cache_clear()

    yield clear
    clear()


@pytest.mark.parametrize("part", CHANGES)
def test_a_run_on_another_machine_is_not_recalled(known, anew, monkeypatch, part):
    monkeypatch.setattr(*CHANGES[part])
    anew()
    assert StoredRuns(known[0]).recall(known[1]) is None
    monkeypatch.undo()


@pytest.mark.parametrize("name", ["tracebook/output.py", "reader/figure_typeface.py"])
def test_a_run_of_changed_code_is_not_recalled(
    known, anew, monkeypatch, tmp_path, name
):
    """The engine counts, and what it imports before programs run."""
    wanted, program = replace(known[0], preload=["reader.figure_typeface"]), known[1]
    shutil.copytree(ROOT / "src", tmp_path / "src")
    monkeypatch.setattr(fingerprint, "_SOURCES", tmp_path / "src")
    anew()
    StoredRuns(wanted).keep(program, RUN)
    assert StoredRuns(wanted).recall(program) == RUN
    with (tmp_path / "src" / name).open("a") as file:
        file.write("\n")
    anew()
    assert StoredRuns(wanted).recall(program) is None
    monkeypatch.undo()


@pytest.mark.parametrize("name", ["TF_X", "XLA_FLAGS", "OMP_X", "PYTHONHASHSEED", "TZ"])
def test_a_run_with_other_variables_is_not_recalled(known, anew, monkeypatch, name):
    monkeypatch.setenv(name, "17")
    anew()
    assert StoredRuns(known[0]).recall(known[1]) is None
    monkeypatch.undo()


@pytest.mark.parametrize("name", ["TF_CPP_MIN_LOG_LEVEL", "PYTHONDONTWRITEBYTECODE"])
def test_variables_without_effect_are_ignored(known, anew, monkeypatch, name):
    """A test may have set the variable, and `make` not."""
    for change in (
        lambda: monkeypatch.delenv(name, raising=False),
        lambda: monkeypatch.setenv(name, "3"),
    ):
        change()
        anew()
        assert StoredRuns(known[0]).recall(known[1]) == RUN
    monkeypatch.undo()


SETTINGS = {
    "preload": ["json"],
    "start_method": "spawn",
    "time_limit": 6.0,
    "output_limit": 7,
    "file_limit": 7,
    "noise": ["x"],
    "keep": ["X"],
    "twins": True,
    "observer": "json",
}
INDIFFERENT = {"jobs": 7, "rel": 0.01}


def test_every_setting_of_a_run_counts(known):
    at_first, program = known
    assert set(SETTINGS) == set(at_first.of_a_run)
    for name, value in SETTINGS.items():
        other = StoredRuns(replace(at_first, **{name: value}))
        assert other.recall(program) is None, name
    for name, value in INDIFFERENT.items():
        other = StoredRuns(replace(at_first, **{name: value}))
        assert other.recall(program) == RUN, name


def test_every_byte_of_a_program_and_its_name_count(known):
    recall, program = StoredRuns(known[0]).recall, known[1]
    for n in range(len(program.source)):
        source = program.source[:n] + "~" + program.source[n + 1 :]
        assert recall(replace(program, source=source)) is None
    assert recall(replace(program, name="y.py")) is None


def test_runs_outlive_a_damaged_store(project):
    ran(project)
    path = project / ".cache/results.db"
    path.write_bytes(b"x" * 10_000)
    for leftover in path.parent.glob("results.db-*"):
        leftover.unlink()
    assert [ran(project, "--remember"), ran(project, "--remember")] == [1, 0]


def test_without_a_memory_every_program_runs(project):
    (project / "pyproject.toml").write_text("[tool.tracebook]\n")
    assert [ran(project, "--remember") for _ in range(2)] == [1, 1]


def test_a_check_sweeps_the_store(project, monkeypatch):
    ran(project)
    swept = []
    monkeypatch.setattr(Store, "sweep", lambda store: swept.append(store))
    with closing(Checker(settings.load(project), remember=True)) as checker:
        assert checker.check().remembered == 1
    assert swept
