"""The records of the computed tables.

``python -m tests.tables NAME`` runs a table and writes its record,
``snippets/tables/NAME.md``, which a page includes. A line of the record holds two
digests. The digest of the table refuses a cell that somebody edited by hand. The digest
of the sources shows that a table must run again. Neither check imports TensorFlow.

A record that begins with ``<!-- modes: PROGRAM: CALL -->`` has no module of its own: it
shows the gradient of this call in each mode. With ``; fix: CALL``, or
``; fix: PROGRAM: CALL``, it names the call that must be right in every mode.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tracebook import fingerprint

CODE = Path("tests/tables")
RECORDS = Path("snippets/tables")
_PACKAGES = ("tensorflow", "keras", "numpy")
_LENGTH = 16
_HEAD = re.compile(
    r"(?P<modes><!-- modes: .*-->\n)?"
    r"<!-- table (?P<name>[\w/]+): (?P<body>\w+), made from (?P<sources>\w+) -->\n"
)
_MODES = re.compile(
    r"<!-- modes: (?P<program>\S+\.py): (?P<call>.+?)"
    r"(?:; fix: (?:(?P<fixed>\S+\.py): )?(?P<fix>.+?))? -->\n"
)
_FOLDER = re.compile(r"\bsnippets/[\w/]*\w")
"""A folder of programs that the module of a table names."""
MODES = "modes"
"""The module that fills the tables of calls."""


@dataclass(frozen=True)
class Call:
    """A call of a function that a program defines."""

    program: str
    """The path of the program below ``snippets/``."""
    text: str


@dataclass(frozen=True)
class Record:
    """A table that a run filled, and the digests that stand above it."""

    name: str
    body_digest: str
    sources_digest: str
    body: str
    modes: str = ""
    """The line that names a call, if there is one."""

    @property
    def call(self) -> Call:
        """The call that the table shows."""
        match = _MODES.fullmatch(self.modes)
        if not match:
            raise ValueError(f"{self.name}: write <!-- modes: PROGRAM: CALL -->")
        return Call(match["program"], match["call"])

    @property
    def fix(self) -> Call | None:
        """The call that is right: the one it names, or that of the right program."""
        match = _MODES.fullmatch(self.modes)
        if not match or "/wrong/" not in match["program"]:
            return None
        right = match["program"].replace("/wrong/", "/")
        return Call(match["fixed"] or right, match["fix"] or match["call"])

    @property
    def names_fix(self) -> bool:
        """Whether the record names the call of its fix."""
        match = _MODES.fullmatch(self.modes)
        return bool(match and match["fix"])


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
        that the module or the call names, the versions of TensorFlow, Keras and NumPy,
        and Python's minor version.
    """
    module = root / CODE / f"{MODES if modes else name}.py"
    text = module.read_text("utf-8") if module.is_file() else ""
    paths = [module, *sorted((root / CODE).glob("_*.py"))]
    for folder in ("tests/harness", *_FOLDER.findall(text)):
        paths += sorted((root / folder).rglob("*.py"))
    if match := _MODES.fullmatch(modes):
        paths.append(root / "snippets" / match["program"])
    versions = [f"{package} {metadata.version(package)}" for package in _PACKAGES]
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    parts: list[str | bytes] = [modes, python, *versions]
    for path in paths:
        parts.append(path.relative_to(root).as_posix())
        parts.append(path.read_bytes() if path.is_file() else b"")
    return fingerprint.digest(*parts)[:_LENGTH]


def record(root: Path, name: str, body: str, modes: str = "") -> str:
    """Return the text of a record.

    Args:
        root: the project's folder.
        name: the name of the table.
        body: the table, in Markdown.
        modes: the line that names a call, for a table of its modes.
    """
    body, made_from = body.strip(), sources(root, name, modes)
    line = f"<!-- table {name}: {digest(body)}, made from {made_from} -->"
    return f"{modes}{line}\n\n{body}\n"


def read(text: str) -> Record | None:
    """Parse a record, or return None if the text isn't one."""
    match = _HEAD.match(text)
    return match and Record(
        match["name"],
        match["body"],
        match["sources"],
        text[match.end() :].strip(),
        match["modes"] or "",
    )


def load(root: Path, name: str) -> Record | None:
    """Read the record of a table, or return None if there is none.

    A new record of a call may hold nothing but the line that names the call.
    """
    path = path_of(root, name)
    text = path.read_text("utf-8", "replace") if path.is_file() else ""
    first = text.partition("\n")[0] + "\n"
    is_new = first == text and _MODES.fullmatch(first)
    return Record(name, "", "", "", first) if is_new else read(text)


def names(root: Path) -> list[str]:
    """Return the names of all tables: those with a module, then those of calls."""
    of_calls = [
        path.relative_to(root / RECORDS).with_suffix("").as_posix()
        for path in sorted((root / RECORDS).glob("*/**/*.md"))
    ]
    return [*_modules(root), *of_calls]


def _modules(root: Path) -> list[str]:
    paths = sorted((root / CODE).glob("*.py"))
    stems = [path.stem for path in paths if not path.stem.startswith("_")]
    return [stem for stem in stems if stem != MODES]


def problems(root: Path) -> list[tuple[str, int, str]]:
    """Find records that no run can have written.

    Args:
        root: the project's folder.

    Returns:
        Path below the root, line and message of each problem.
    """
    return [*_problems(root)]


def _problems(root: Path) -> Iterator[tuple[str, int, str]]:
    modules = _modules(root)
    for name in modules:
        if not path_of(root, name).is_file():
            shown = (CODE / f"{name}.py").as_posix()
            yield shown, 1, f"has no record; run: python -m tests.tables {name}"
    for path in sorted((root / RECORDS).rglob("*.md")):
        shown = path.relative_to(root).as_posix()
        name = path.relative_to(root / RECORDS).with_suffix("").as_posix()
        known = load(root, name)
        run = f"run: python -m tests.tables {name}"
        if "/" not in name and name not in modules:
            yield shown, 1, f"is of no table; write {CODE.as_posix()}/{name}.py"
        elif known is None or known.name != name:
            yield shown, 1, f"doesn't begin as a record; {run}"
        elif known.body_digest != digest(known.body):
            yield shown, 1, f"edited by hand, or never filled; {run}"
        elif "/" in name and not _MODES.fullmatch(known.modes):
            yield shown, 1, "write <!-- modes: PROGRAM: CALL --> in its first line"


def stale(root: Path) -> list[str]:
    """Return the names of the tables whose sources changed since their last run."""
    changed = []
    for name in names(root):
        known = load(root, name)
        modes = known.modes if known else ""
        if known is None or known.sources_digest != sources(root, name, modes):
            changed.append(name)
    return changed


def path_of(root: Path, name: str) -> Path:
    """Return the path of a table's record."""
    return root / RECORDS / f"{name}.md"
