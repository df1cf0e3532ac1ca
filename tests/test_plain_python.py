"""Promise: a copied snippet, as the page shows it, run by a plain ``python NAME.py`` in an empty
folder, prints the trace that the page shows."""

import os
import re
import subprocess
import sys
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest

from tracebook import settings, snippet
from tracebook.compare import difference
from tracebook.output import without_frames, without_noise

from .conftest import EVERY_PROGRAM
from .project import ROOT

pytestmark = pytest.mark.plain_python
SETTINGS = settings.load(ROOT)
EVERY = snippet.find(SETTINGS)


_ONLY_COMPUTE = {"collections", "functools", "math", "textwrap", "types"}
"""Modules that ask nothing of the process, its folder or its streams."""


def _traits(each: snippet.Snippet) -> set[str]:
    """What could make a plain Python run a program in another way than the engine,
    which forks after TensorFlow's import."""
    imports = re.findall(r"^(?:import|from) (\w+)", each.source, re.MULTILINE)
    modes = ("tf.function", "jit_compile", "tf.print", "stderr", "environ", "random")
    return {
        *(name for name in imports if name not in _ONLY_COMPUTE),
        *(mode for mode in (*modes, "keras") if mode in each.source),
        *(["raises"] if each.raises else []),
    }


def _chosen() -> list[snippet.Snippet]:
    """All in the shards of the workflow; elsewhere, as each takes TensorFlow's import of
    three seconds, so many that each trait is there: those with the most first."""
    if EVERY_PROGRAM:
        return EVERY
    traits = {each: _traits(each) for each in EVERY}
    left = {*chain(*traits.values())}
    chosen = []
    while left:
        chosen.append(max(EVERY, key=lambda each: len(traits[each] & left)))
        left -= traits[chosen[-1]]
    return chosen


CHOSEN = _chosen()


@pytest.mark.sample
def test_no_program_is_named_as_a_module():
    """Python would take it for that, from the folder that it is saved in."""
    modules = {*sys.stdlib_module_names, *metadata.packages_distributions()}
    assert [each.label for each in EVERY if each.path.stem in modules] == []


def _run(each: snippet.Snippet, folder: Path) -> subprocess.CompletedProcess:
    (folder / each.path.name).write_text(each.text, "utf-8")
    # -u: into a pipe, Python would print after TensorFlow what came before.
    return subprocess.run(
        [sys.executable, "-u", each.path.name],
        cwd=folder,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
    )


@pytest.mark.parametrize(
    "each",
    [
        pytest.param(each, id=each.name, marks=[pytest.mark.sample] * is_last)
        for each in CHOSEN
        for is_last in [each == CHOSEN[-1]]
    ],
)
def test_prints_its_trace(each, tmp_path):
    done = _run(each, tmp_path)
    printed = without_noise(done.stdout, SETTINGS.noise_pattern)
    if each.raises:
        assert done.returncode == 1, printed
        printed = _without_traceback(printed, each.raises)
    else:
        assert done.returncode == 0, printed
    found = difference(each.output_path.read_text("utf-8"), printed, each.rel)
    assert found is None, f"{each.output_label}:{found[0]}\n{found[1]}"


def _without_traceback(printed: str, type_name: str) -> str:
    """Keep of Python's traceback what a trace keeps: the last exception."""
    start = printed.index("Traceback (most recent call last):\n")
    message = re.compile(rf"^(?:[\w.]+\.)?{re.escape(type_name)}\b", re.MULTILINE)
    last = list(message.finditer(printed, start))[-1]
    return printed[:start] + without_frames(printed[last.start() :])
