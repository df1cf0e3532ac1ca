"""Promise: tracebook can be installed by itself, and its README shows what it does."""

import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from .project import ROOT

pytestmark = [pytest.mark.tools, pytest.mark.slow]

FOLDER = ROOT / "src/tracebook"
README = (FOLDER / "README.md").read_text("utf-8")
FILE = re.compile(r"^`(\S+)`:\n\n(`{3,})\w+\n(.*?)^\2$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ python (-m tracebook .*)\n((?:[^`$].*\n)*)", re.MULTILINE)


def run(*words: object, at: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(word) for word in words],
        cwd=at,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built without a network, from a copy, because building writes beside it."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    source = shutil.copytree(FOLDER, folder / "source", ignore=ignored)
    options = "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder
    done = run(sys.executable, "-m", "pip", "wheel", *options, source, at=folder)
    assert done.returncode == 0, done.stdout
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """The interpreter of an environment that has this wheel alone."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=False)
    interpreter = folder / "bin/python"
    options = "--python", interpreter, "install", "--no-deps", "--no-index", wheel
    done = run(sys.executable, "-m", "pip", *options, at=folder)
    assert done.returncode == 0, done.stdout
    return interpreter


def test_the_wheel_holds_the_package_and_needs_nothing(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        [metadata] = [n for n in archive.namelist() if n.endswith("/METADATA")]
        text = archive.read(metadata).decode()
    assert names == {f"tracebook/{path.name}" for path in FOLDER.glob("*.py")}
    needed = re.findall("^Requires-Dist: (.*)$", text, re.MULTILINE)
    assert needed == ['markdown>=3.4; extra == "markdown"']


def test_the_example_of_the_readme(python, tmp_path):
    """Its first check passes, and its second one has another number."""
    files = {name: content for name, _, content in FILE.findall(README)}
    assert len(files) == 4
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    first, second = COMMAND.findall(README)
    for code, (command, printed) in enumerate((first, second)):
        done = run(python, *command.split(), at=tmp_path)
        assert (done.returncode, done.stdout) == (code, printed)
        program = tmp_path / "snippets/square.py"
        program.write_text(program.read_text().replace("1.5", "2.5"))
    assert run(python, "-m", "tracebook", "update", at=tmp_path).returncode == 0
    assert (tmp_path / "snippets/square.out").read_text() == "The square is 6.25\n"
