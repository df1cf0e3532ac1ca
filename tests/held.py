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
_PARTS = ("src/**/*", "tests/**/*", "overrides/**/*")
_FILES = (
    *("conftest.py", "mkdocs.yml", "pyproject.toml", "requirements.txt"),
    ".gitattributes",
)
_OTHERS = ("tests/statements/", "tests/rules.lock", str(LOCK))
"""What of these parts belongs to the book."""
_MADE = (".venv/", ".cache/", ".git/", ".pytest_cache/")
_TAKE_AWAY = (
    *("keyword", "collectonly", "deselect", "ignore", "ignore_glob"),
    *("lf", "stepwise", "splits"),
)
"""Options of pytest and its plugins that leave tests out."""
_read: list[str] | None = None
"""Files that are no part of the key, and the test at work has opened."""


def key(root: Path = ROOT) -> str:
    """Of all that the tests of the tools depend on."""
    found = {path for part in _PARTS for path in root.glob(part)}
    found |= {root / name for name in _FILES}
    made = sha256(f"{sys.version_info[:2]} {platform.machine()}".encode())
    for path in sorted(found):
        name = path.relative_to(root).as_posix()
        if (
            path.is_file()
            and "__pycache__" not in name
            and not name.startswith(_OTHERS)
        ):
            made.update(f"\0{name}\0".encode() + path.read_bytes())
    return made.hexdigest()[:16]


def is_current(root: Path = ROOT) -> bool:
    path = root / LOCK
    return path.is_file() and path.read_text("utf-8").split()[:1] == [key(root)]


def write(root: Path = ROOT) -> None:
    (root / LOCK).write_text(f"{key(root)} {date.today()}\n", "utf-8")


def is_renewed_by(config: pytest.Config) -> bool:
    """Whether a run is that of `make test`, of which nothing was taken away."""
    its = config.option
    is_taken = any(vars(its).get(each) for each in _TAKE_AWAY)
    is_whole = config.args == config.getini("testpaths") and not is_taken
    is_default = its.held and its.markexpr.startswith("sample or not (")
    return is_whole and is_default and "tools" not in its.markexpr


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
        name = path.removeprefix(f"{ROOT}/")
        is_part = name.startswith((*_FILES, *_MADE, "src/", "tests/", "overrides/"))
        if name == path or (is_part and not name.startswith(_OTHERS)):
            return
        if os.path.isfile(path):  # and no folder that is named from another one
            _read.append(name)


sys.addaudithook(_note)
