"""Promise: a build that fails or has company never loses the site."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from adapters import build
from adapters.build import LOCK, exchange

from .project import ROOT

pytestmark = pytest.mark.tools

SLOW = """
import time
from pathlib import Path
from adapters.build import exchange

def build(new):
    new.mkdir()
    (new / "index.html").write_text("slow")
    print("begun", flush=True)
    time.sleep(600)

exchange(Path.cwd(), build)
"""


def says(new: Path, text: str) -> bool:
    new.mkdir()
    (new / "index.html").write_text(text)
    return text != "false"


def site(root: Path) -> str:
    """What the one site says, and nothing stands beside it."""
    assert [path.name for path in root.iterdir()] in (["site"], [".cache", "site"])
    return (root / "site/index.html").read_text()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a site."""
    assert exchange(tmp_path, lambda new: says(new, "old")) == 0
    (tmp_path / "site/old.html").touch()
    return tmp_path


@pytest.mark.parametrize("name", ["docs/a.md", "snippets/a.out", "overrides/a.html"])
def test_a_page_that_is_right_for_a_moment_is_not_built(root, monkeypatch, name):
    """It is as it was before, and truth or MkDocs may have read another text."""
    file, drawn = root / name, root / "docs/figures/a.svg"
    for path in (file, drawn):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("wrong")
    (root / "pyproject.toml").touch()

    def run(*words: str) -> int:
        if words[0] == "mkdocs":
            says(root / ".site-new", "new")
        drawn.write_text("drawn")
        if is_edited:
            file.write_text("right")
            file.write_text("wrong")
        return 0

    monkeypatch.setattr(build, "_run", run)
    is_edited = True
    with pytest.raises(OSError, match=f"{file}: changed while the site was built"):
        exchange(root, build._build)
    assert (root / "site/index.html").read_text() == "old"
    is_edited = False
    assert exchange(root, build._build) == 0
    assert (root / "site/index.html").read_text() == "new"


def test_a_build_takes_the_place_of_the_last_one(root):
    assert site(root) == "old"
    assert exchange(root, lambda new: says(new, "new")) == 0
    assert site(root) == "new" and not (root / "site/old.html").exists()


def test_what_a_killed_build_left_goes(root):
    (root / ".site-new/part").mkdir(parents=True)
    assert exchange(root, lambda new: says(new, "new")) == 0
    assert site(root) == "new"


def test_killed_between_two_sites_a_build_loses_neither(root):
    (root / "site").rename(root / ".site-old")
    assert exchange(root, lambda new: says(new, "false")) == 1
    assert site(root) == "old"


def test_a_build_that_fails_or_crashes_leaves_the_last_one(root):
    assert exchange(root, lambda new: says(new, "false")) == 1
    assert site(root) == "old"
    with pytest.raises(ZeroDivisionError):
        exchange(root, lambda new: bool(says(new, "new") / 0))
    assert site(root) == "old"


def test_of_two_builds_the_second_is_told_of_the_first(root):
    slow = subprocess.Popen(
        [sys.executable, "-c", SLOW], cwd=root, stdout=subprocess.PIPE, text=True
    )
    try:
        assert slow.stdout.readline() == "begun\n"
        second = subprocess.run(
            [sys.executable, "-m", "adapters.build"],
            cwd=root,
            capture_output=True,
            text=True,
        )
        assert second.returncode == 2 and not second.stdout
        assert second.stderr == (
            f"build: another process is building {root / 'site'};"
            " wait until it has ended, and build again\n"
        )
    finally:
        slow.kill()
        slow.communicate()
    assert exchange(root, lambda new: says(new, "new")) == 0
    assert site(root) == "new"


DEFAULT: dict[signal.Signals, Any] = {
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}


@pytest.mark.parametrize("how", DEFAULT)
def test_a_build_ends_with_what_it_started(root, how, tmp_path):
    """The command ends MkDocs, and leaves the last site."""
    (root / "pyproject.toml").touch()
    for name in ("truth", "mkdocs"):
        (root / f"{name}.py").write_text("import time; time.sleep(600)\n")
    code = "import runpy; runpy.run_path({!r}, run_name='__main__')"
    command = code.format(str(ROOT / "src/adapters/build.py"))
    build = subprocess.Popen(
        [sys.executable, "-c", command],
        cwd=root,
        # Who starts the tests may have them ignore it, and all that they start.
        preexec_fn=lambda: signal.signal(how, DEFAULT[how]),
    )
    child = Path(f"/proc/{build.pid}/task/{build.pid}/children")
    deadline = time.monotonic() + 30
    while not (started := child.read_text().split()):
        assert time.monotonic() < deadline and build.poll() is None
        time.sleep(0.05)
    build.send_signal(how)
    assert build.wait(30) == 128 + how
    deadline = time.monotonic() + 30
    while os.path.exists(f"/proc/{started[0]}"):  # until somebody takes its exit code
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert (root / "site/index.html").read_text() == "old"
    assert not [*root.glob(".site-*")] and not FileLock(root / LOCK).is_locked
