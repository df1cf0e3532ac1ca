"""Promise: ``vjpcheck`` can be installed by itself, with its plugin."""

import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

import vjpcheck

from .project import ROOT

pytestmark = pytest.mark.tools

FOLDER = ROOT / "src/vjpcheck"
MINE = """
import tensorflow as tf

cube = tf.custom_gradient(lambda x: (x**3, lambda upstream: upstream * 3.0 * x**2))
forgetful = tf.custom_gradient(lambda x: (x**3, lambda upstream: 3.0 * x**2))
"""
TESTS = """
import mine
import tensorflow as tf

X = tf.constant([[1.3, -0.7], [0.2, 2.0]])


def test_right(gradcheck):
    assert gradcheck(mine.cube, (X,), shapes=True).compared


def test_wrong(gradcheck):
    gradcheck(mine.forgetful, (X,))
"""


def run(*words: object, at: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(word) for word in words],
        cwd=at,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built without a network, from a copy: building writes beside the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = shutil.copytree(
        FOLDER, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "build")
    )
    options = "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder
    done = run(sys.executable, "-m", "pip", "wheel", *options, copy, at=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Of an empty environment with this wheel alone."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=False)
    its = folder / "bin/python"
    options = "install", "--no-deps", "--no-index", wheel
    done = run(sys.executable, "-m", "pip", "--python", its, *options, at=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return its


@pytest.fixture(scope="module")
def tensorflow(python):
    """The same environment, which now finds the site's packages, but not its code."""
    [packages] = (python.parents[1] / "lib").glob("*/site-packages")
    others = Path(np.__file__).parents[1]
    (packages / "others.pth").write_text(f"{others}\n", "utf-8")
    return python


@pytest.mark.slow
def test_the_wheel_holds_the_package_alone(wheel):
    assert wheel.name == f"vjpcheck-{vjpcheck.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith("/METADATA")]
        text = archive.read(metadata).decode()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"vjpcheck", f"vjpcheck-{vjpcheck.__version__}.dist-info"}
    modules = {f"vjpcheck/{path.name}" for path in FOLDER.glob("*.py")}
    data = {"vjpcheck/messages.toml", "vjpcheck/py.typed"}
    assert modules | data == {n for n in names if n.startswith("vjpcheck/")}
    assert any(name.endswith("/LICENSE") for name in names)
    needed = [line for line in text.splitlines() if line.startswith("Requires-Dist")]
    assert needed[0] == "Requires-Dist: numpy>=1.26" and "extra" in needed[1]
    assert "Requires-Python: <3.15,>=3.11" in text


@pytest.mark.slow
def test_without_tensorflow(python, tmp_path):
    program = """
import vjpcheck
print(vjpcheck.__file__)
try:
    from vjpcheck import check_grads
except ImportError as error:
    print(error)
"""
    done = run(python, "-c", program, at=tmp_path)
    file, message = done.stdout.splitlines()
    assert Path(file).is_relative_to(python.parents[1])
    assert "vjpcheck.check_grads needs TensorFlow 2.18" in message


@pytest.mark.slow
def test_the_fixture(tensorflow, tmp_path):
    (tmp_path / "mine.py").write_text(MINE, "utf-8")
    (tmp_path / "test_mine.py").write_text(TESTS, "utf-8")
    tests = "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"
    done = run(tensorflow, *tests, at=tmp_path)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "Smallest counterexample:" in done.stdout
    assert "x = [[1.]] with upstream = [[2.]]" in done.stdout
    assert "mistakes/silent_values#no-upstream" in done.stdout


def test_what_judges_imports_no_framework(tmp_path):
    """The adapters for JAX and PyTorch import nothing else of the package."""
    names = [f"{name}.py" for name in ("jax", "torch")]
    for name in names:
        text = (FOLDER / name).read_text("utf-8")
        homes = set(re.findall(r"^from \.(\w+)", text, re.M))
        assert homes <= {"arrays", "core", "levels"}, name
    program = (
        "import sys, vjpcheck.levels; print(*{*sys.modules} & {'tensorflow', 'jax'})"
    )
    done = run(sys.executable, "-c", program, at=tmp_path)
    assert (done.stdout, done.returncode) == ("\n", 0), done.stderr


def test_versions_and_extras():
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == ">=3.11,<3.15"
    assert "urls" not in project  # release.yml adds those of the repository
    assert (FOLDER / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    changes = (FOLDER / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## {vjpcheck.__version__}\n" in changes
    assert project["optional-dependencies"] == {
        "tensorflow": ["tensorflow>=2.18"],
        "jax": ["jax>=0.8"],
        "torch": ["torch>=2.6"],
        "keras": ["keras>=3", "tensorflow>=2.18"],
    }
