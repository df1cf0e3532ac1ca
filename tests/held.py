"""The tests of the tools: they depend on no page, program or sentence of this book, so
`make test` need not repeat them while the code is as it was when all of them passed.

``tests/tools.lock`` holds a digest of that code and the day. A run of `make test` with
other code tries all of them and writes the file; with the same code it tries one in
twenty, another one each day. CI tries all.
"""

import os
import platform
import sys
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest

from truth import sample

from .project import ROOT

LOCK = Path("tests/tools.lock")
_PARTS = ("src/**/*", "tests/*.py", "tests/data/**/*", "tests/fences/**/*")
_FILES = ("conftest.py", "mkdocs.yml", "pyproject.toml", "requirements.txt")
_BOOK = tuple(f"{ROOT}/{part}/" for part in ("docs", "snippets", "tests/statements"))
_read: list[str] | None = None
"""Files of the book that the test at work has opened."""


def key(root: Path = ROOT) -> str:
    """Of all that the tests of the tools depend on."""
    found = {path for part in _PARTS for path in root.glob(part)}
    found |= {root / name for name in _FILES}
    made = sha256(f"{sys.version_info[:2]} {platform.machine()}".encode())
    for path in sorted(found):
        if path.is_file() and "__pycache__" not in path.parts:
            made.update(f"\0{path.relative_to(root).as_posix()}\0".encode())
            made.update(path.read_bytes())
    return made.hexdigest()[:16]


def is_current(root: Path = ROOT) -> bool:
    path = root / LOCK
    return path.is_file() and path.read_text("utf-8").split()[:1] == [key(root)]


def write(root: Path = ROOT) -> None:
    (root / LOCK).write_text(f"{key(root)} {date.today()}\n", "utf-8")


def is_tool(item: pytest.Item) -> bool:
    """In a file of such tests, ``tools(False)`` marks one that reads the book."""
    mark = item.get_closest_marker("tools")
    uses_site = "built_site" in getattr(item, "fixturenames", ())
    return bool(mark) and mark.args != (False,) and not uses_site


def is_left_out(item: pytest.Item) -> bool:
    return is_tool(item) and not sample.tries_again(item.nodeid)


def watch(item: pytest.Item) -> None:
    """Note what a test of the tools opens of the book, in its own process."""
    global _read
    _read = [] if is_tool(item) else None


def demand_no_book() -> None:
    global _read
    read, _read = _read, None
    if read:
        pytest.fail(f"has the mark tools, and reads {', '.join(sorted({*read}))}")


def _note(event: str, arguments: tuple) -> None:
    if event == "open" and _read is not None and isinstance(arguments[0], (str, Path)):
        path = os.path.abspath(arguments[0])
        if path.startswith(_BOOK) and os.path.exists(path):
            _read.append(os.path.relpath(path, ROOT))


sys.addaudithook(_note)
