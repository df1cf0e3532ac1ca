"""Promise: what the page on tests in a CI shows is what happens there."""

import doctest
import re
import subprocess
import sys
from functools import partial

import pytest
import tensorflow as tf
import yaml

import vjpcheck
from vjpcheck import pytest_plugin

from . import reference
from .project import ROOT

PAGE = (ROOT / "docs/guide/test_in_ci.md").read_text("utf-8")


def fence(start: str) -> str:
    [found] = re.findall(rf"^```{start}[^\n]*\n(.*?)^```", PAGE, re.DOTALL | re.M)
    return found


def printed(code: str, folder) -> str:
    """What pytest prints of the page's file; the installed wheel finds the plugin."""
    (folder / "test_gradients.py").write_text(code, "utf-8")
    words = "-m", "pytest", "-q", "-p", "vjpcheck.pytest_plugin", "test_gradients.py"
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.slow
def test_the_file_passes_and_fails_as_shown(tmp_path):
    code = fence(r"\{\.python notest")
    right = "(upstream - y * along) / length"
    assert right in code
    assert "3 passed" in printed(code, tmp_path)
    failed = printed(code.replace(right, "upstream / length"), tmp_path)
    assert "2 failed, 1 passed" in failed
    lines = [line.removeprefix("E").strip() for line in failed.splitlines()]
    at = lines.index("Smallest counterexample:")
    shown = [line.strip() for line in fence("text").splitlines()]
    assert lines[at : at + 2] == shown


def test_the_workflow_runs_the_pages_commands():
    workflow = yaml.safe_load(fence("yaml"))
    assert workflow[True] == ["push", "pull_request"]  # YAML reads "on" as true
    [job] = workflow["jobs"].values()
    ran = [step["run"] for step in job["steps"] if "run" in step]
    assert f"```sh\n{ran[0]}\n```" in PAGE
    assert ran[1] == "python -m pytest test_gradients.py"
    assert "Save the program below as `test_gradients.py`" in PAGE


def test_the_reference_is_what_the_docstrings_say():
    assert (ROOT / "docs/vjpcheck.md").read_text("utf-8") == reference.text(), (
        "python -m tests.reference"
    )


@pytest.mark.parametrize("function", ["check_custom_gradient", "check_grads"])
def test_the_examples_of_the_docstrings_hold(function):
    globals_ = {"tf": tf, function: getattr(vjpcheck, function)}
    [found] = doctest.DocTestFinder(recurse=False).find(
        globals_[function], function, globs=globals_
    )
    assert found.examples
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.DocTestRunner(optionflags=flags).run(found).failed == 0


@pytest.mark.parametrize("path", ["README.md", "src/vjpcheck/README.md"])
def test_a_readme_opens_with_a_failure(path, capsys):
    page = (ROOT / path).read_text("utf-8")
    program, shown = re.findall(r"^```[{.]*(?:python|text).*\n([^`]*)^```", page, re.M)[
        :2
    ]
    names: dict = {}
    exec(program, names)
    if test := names.get("test_softplus"):
        with pytest.raises(AssertionError) as error:
            test(partial(pytest_plugin.check, 0))
        print(error.value)
    assert capsys.readouterr().out == shown
