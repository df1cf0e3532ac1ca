"""The records of the computed tables.

``python -m tests.tables NAME`` runs a table and writes its record,
``snippets/tables/NAME.md``, which a page includes. The first line of a record holds two
digests. The digest of the table refuses a cell that somebody edited by hand. The digest
of the sources shows that a table must run again. Neither check imports TensorFlow.
"""

import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

CODE = Path("tests/tables")
RECORDS = Path("snippets/tables")
_SHARED = (Path("tests/tables/__init__.py"), Path("tests/harness"))
_PACKAGES = ("tensorflow", "keras", "numpy")
_LENGTH = 16
_FIRST = re.compile(
    r"<!-- table (?P<name>\w+): (?P<body>\w+), made from (?P<sources>\w+) -->"
)


@dataclass(frozen=True)
class Record:
    """A table that a run filled, and the digests of its first line."""

    name: str
    body_digest: str
    sources_digest: str
    body: str


def digest(body: str) -> str:
    """Return the digest of a table, without the empty lines around it."""
    return _digest([body.strip().encode()])


def sources(root: Path, name: str) -> str:
    """Return the digest of everything from which a table is computed.

    Args:
        root: the project's folder.
        name: the name of the table, for example ``cut_path``.

    Returns:
        A digest of the table's module, the shared helpers, the harness, the versions of
        TensorFlow, Keras and NumPy, and Python's minor version.
    """
    paths = [root / CODE / f"{name}.py"]
    for shared in _SHARED:
        path = root / shared
        paths += sorted(path.glob("*.py")) if path.is_dir() else [path]
    parts = [f"Python {sys.version_info.major}.{sys.version_info.minor}".encode()]
    parts += [
        f"{package} {metadata.version(package)}".encode() for package in _PACKAGES
    ]
    for path in paths:
        parts += [path.relative_to(root).as_posix().encode(), path.read_bytes()]
    return _digest(parts)


def _digest(parts: list[bytes]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()[:_LENGTH]


def record(root: Path, name: str, body: str) -> str:
    """Return the text of a record.

    Args:
        root: the project's folder.
        name: the name of the table.
        body: the table, in Markdown.
    """
    body = body.strip()
    first = f"<!-- table {name}: {digest(body)}, made from {sources(root, name)} -->"
    return f"{first}\n\n{body}\n"


def read(text: str) -> Record | None:
    """Parse a record, or return None if the text isn't one."""
    first, _, body = text.partition("\n")
    match = _FIRST.fullmatch(first)
    return match and Record(
        match["name"], match["body"], match["sources"], body.strip()
    )


def names(root: Path) -> list[str]:
    """Return the names of the tables that have a module, in alphabetical order."""
    return sorted(
        path.stem
        for path in (root / CODE).glob("*.py")
        if not path.stem.startswith("_")
    )


def problems(root: Path) -> list[tuple[str, int, str]]:
    """Find records that no run can have written.

    Args:
        root: the project's folder.

    Returns:
        Path below the root, line and message of each problem.
    """
    return [*_problems(root)]


def _problems(root: Path) -> Iterator[tuple[str, int, str]]:
    made = names(root)
    for name in made:
        if not _path(root, name).is_file():
            shown = (CODE / f"{name}.py").as_posix()
            yield shown, 1, f"has no record; run: python -m tests.tables {name}"
    for path in sorted((root / RECORDS).glob("*.md")):
        shown, name = path.relative_to(root).as_posix(), path.stem
        parsed = read(path.read_text("utf-8", "replace"))
        run = f"run: python -m tests.tables {name}"
        if name not in made:
            yield shown, 1, f"is of no table; write {CODE.as_posix()}/{name}.py"
        elif parsed is None or parsed.name != name:
            yield shown, 1, f"doesn't begin as a record; {run}"
        elif parsed.body_digest != digest(parsed.body):
            yield shown, 1, f"edited by hand; {run}"


def stale(root: Path) -> list[str]:
    """Return the names of the tables whose sources changed since their last run."""
    changed = []
    for name in names(root):
        path = _path(root, name)
        parsed = read(path.read_text("utf-8")) if path.is_file() else None
        if parsed is None or parsed.sources_digest != sources(root, name):
            changed.append(name)
    return changed


def _path(root: Path, name: str) -> Path:
    return root / RECORDS / f"{name}.md"
