"""The project under test, and copies of it in which mistakes are planted."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = (
    "docs",
    "snippets",
    "overrides",
    "src",
    "tests/claims",
    "tests/harness",
    "tests/__init__.py",
    "mkdocs.yml",
    "pyproject.toml",
    "Makefile",
    "frameworks/runs.json",
)
_NOT_COPIED = shutil.ignore_patterns(
    "figures", "ledger.md", "__pycache__", "*.egg-info"
)


def copy(root: Path, *more: str) -> Path:
    """A copy of what a build needs, and ``more`` parts, in a folder that is empty."""
    root.mkdir(exist_ok=True)
    for part in (*PARTS, *more):
        source, target = ROOT / part, root / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=_NOT_COPIED, dirs_exist_ok=True)
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    # The copy borrows this environment, and must not set it up anew. A Python that
    # starts there finds the copy's src/, for the link in it is a relative one.
    (root / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    (root / ".ci").mkdir(exist_ok=True)
    (root / ".ci" / "setup").touch()
    return root


def python(root: Path) -> str:
    """The interpreter that takes a copy's code for its own."""
    return str(root / ".venv/bin/python")


def run(root: Path, *command: str | Path, **environment: str) -> tuple[int, str]:
    """Run a module of Python in a copy: exit code and all it says."""
    done = subprocess.run(
        [python(root), "-m", *command],
        cwd=root,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={
            **os.environ,
            "NO_COLOR": "1",
            "COLUMNS": "999",
            "NO_MKDOCS_2_WARNING": "1",
            **environment,
        },
    )
    return done.returncode, done.stdout


def edit(path: Path, old: str, new: str) -> int:
    """Replace the first ``old``; the number of the line it was in."""
    text = path.read_text("utf-8")
    assert old in text, f"{path} has no {old!r}"
    # In one step: who watches the file sees no empty one.
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", delete=False) as whole:
        whole.write(text.replace(old, new, 1))
    shutil.copymode(path, whole.name)
    shutil.move(whole.name, path)
    return text[: text.index(old)].count("\n") + 1
