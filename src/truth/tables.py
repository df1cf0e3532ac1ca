"""Read the records of computed tables, and find those that must run again.

``python -m tests.tables NAME`` runs a table and writes its record,
``snippets/tables/NAME.md``, which a page includes. A record has two digests: of the
table, to find a cell that somebody edited by hand, and of the sources, to find a table
that must run again. Neither check imports TensorFlow.

A record that begins with ``<!-- modes: PROGRAM: CALL -->`` has no module: it shows the
gradient of this call in each mode, and may name the right one: ``; fix: CALL``.

The module is a plugin of tracebook, so that pages may include records.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from store import fingerprint
from tracebook import files
from tracebook.settings import Settings

CODE = Path("tests/tables")
RECORDS = Path("snippets/tables")
_PACKAGES = ("tensorflow", "keras", "numpy")
_LENGTH = 16
_HEAD = re.compile(
    r"(?P<modes><!-- modes: .*-->\n)?"
    r"<!-- table (?P<name>[\w/]+): (?P<body>\w+), made from (?P<sources>\w+) -->\n"
)
MODES_LINE = re.compile(
    r"<!-- modes: (?P<program>\S+\.py): (?P<call>.+?)"
    r"(?:; fix: (?:(?P<fixed>\S+\.py): )?(?P<fix>.+?))? -->\n"
)
"""The line that names a call."""
_FOLDER = re.compile(r"\bsnippets/[\w/]*\w")
"""A folder of programs that the module of a table names."""
_RECORD = re.compile(r"\bframeworks/\w+\.json")
MODES = "modes"
"""The module that fills the tables of calls."""


@dataclass(frozen=True)
class TableRecord:
    """A table that a run filled, and the digests that stand above it."""

    name: str
    body_digest: str
    sources_digest: str
    body: str
    modes: str = ""
    """The line that names a call, if there is one."""


def digest(body: str) -> str:
    """Return the digest of a table, without the empty lines around it."""
    return fingerprint.digest(body.strip())[:_LENGTH]


def sources(root: Path, name: str, modes: str = "") -> str:
    """Return the digest of everything from which a table is computed.

    Args:
        root: the project's folder.
        name: the name of the table, for example ``cut_path``.
        modes: the line that names a call, for a table of its modes.

    Returns:
        A digest of the table's module, the shared helpers, the harness, the programs
        and records that the module or the call names, the versions of TensorFlow, Keras
        and NumPy, and Python's minor version.
    """
    module = root / CODE / f"{MODES if modes else name}.py"
    text = module.read_text("utf-8") if module.is_file() else ""
    paths = [module, *sorted((root / CODE).glob("_*.py"))]
    for folder in ("tests/harness", *_FOLDER.findall(text)):
        paths += sorted((root / folder).rglob("*.py"))
    paths += [root / name for name in _RECORD.findall(text)]
    if match := MODES_LINE.fullmatch(modes):
        paths.append(root / "snippets" / match["program"])
    versions = [f"{package} {metadata.version(package)}" for package in _PACKAGES]
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    parts: list[str | bytes] = [modes, python, *versions]
    for path in paths:
        parts.append(path.relative_to(root).as_posix())
        parts.append(path.read_bytes() if path.is_file() else b"")
    return fingerprint.digest(*parts)[:_LENGTH]


def load(root: Path, name: str) -> TableRecord | None:
    """Read the record of a table, or return None if there is none.

    A new record of a call may hold nothing but the line that names the call.
    """
    path = path_of(root, name)
    text = path.read_text("utf-8", "replace") if path.is_file() else ""
    if match := _HEAD.match(text):
        body, modes = text[match.end() :].strip(), match["modes"] or ""
        return TableRecord(match["name"], match["body"], match["sources"], body, modes)
    line = text.strip() + "\n"
    return TableRecord(name, "", "", "", line) if MODES_LINE.fullmatch(line) else None


def names(root: Path) -> list[str]:
    """Return the names of all tables: those with a module, then those of calls."""
    paths = sorted((root / RECORDS).glob("*/**/*.md"))
    return [*_modules(root), *(_name(root, path) for path in paths)]


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root / RECORDS).with_suffix("").as_posix()


def _modules(root: Path) -> list[str]:
    """Return the names of the modules that define ``table()``."""
    return [
        path.stem
        for path in sorted((root / CODE).glob("*.py"))
        if path.stem != MODES and "def table()" in path.read_text("utf-8")
    ]


def problems(root: Path) -> Iterator[tuple[str, int, str]]:
    """Find records that no run can have written, or that a run would change.

    Yields:
        Path below the root, line and message of each problem.
    """
    modules = _modules(root)
    for name in modules:
        if not path_of(root, name).is_file():
            module = (CODE / f"{name}.py").as_posix()
            yield module, 1, f"has no record; run: python -m tests.tables {name}"
    for path in sorted((root / RECORDS).rglob("*.md")):
        name = _name(root, path)
        record = load(root, name)
        run = f"run: python -m tests.tables {name}"
        if "/" not in name and name not in modules:
            message = f"is of no table; write {CODE.as_posix()}/{name}.py"
        elif record is None or record.name != name:
            message = f"doesn't begin as a record; {run}"
        elif record.body_digest != digest(record.body):
            message = f"edited by hand, or never filled; {run}"
        elif "/" in name and not MODES_LINE.fullmatch(record.modes):
            message = "write <!-- modes: PROGRAM: CALL --> in its first line"
        elif record.sources_digest != sources(root, name, record.modes):
            message = f"what it was computed from has changed; {run}"
        else:
            continue
        yield path.relative_to(root).as_posix(), 1, message


def includes(settings: Settings) -> dict[str, Path]:
    """Return the records of a project, by the names that includes have for them."""
    folder = settings.root / RECORDS
    records = [path for path in files.below(folder) if path.suffix == ".md"]
    return {p.relative_to(settings.snippets_dir).as_posix(): p for p in records}


def path_of(root: Path, name: str) -> Path:
    """Return the path of a table's record."""
    return root / RECORDS / f"{name}.md"
