"""The committed lock of judged rules: a program whose rules held needn't have them
judged again until it, the judge or the locked packages change.

``tests/rules.lock`` has a line for each program: its name, the key of the verdict, the
day, and for each rule in how many cases it was tried; ``!`` marks a rule that is wrong
on purpose. ``python -m truth accept`` writes it.
"""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from tracebook import files

from .. import sample
from ..errors import BadFile

FILE = Path("tests/rules.lock")
_HERE = Path(__file__).resolve().parent
_CHECKER = _HERE.parents[1] / "vjpcheck"
_OF_READERS = (
    *("check", "derivatives", "grads", "linter", "messages"),
    *("failure", "pytest_plugin", "__init__", "__main__"),
)
_NOT_CODE = {
    _HERE / "lock.py",
    *(_CHECKER / f"{name}.py" for name in _OF_READERS),
}
"""Files that no verdict depends on."""


@dataclass(frozen=True)
class Entry:
    """The rules of one program, when they held."""

    key: str
    day: str
    cases: tuple[int, ...]
    """Of each rule, in the order of lines."""
    wrong: tuple[bool, ...]
    """Whether a rule is wrong on purpose, and was found so."""


def key(program: str) -> str:
    """What the verdict on a program's source depends on."""
    return sha256(f"{_judge()}\0{program}".encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def _judge() -> str:
    files = sorted({*_HERE.glob("*.py"), *_CHECKER.glob("*.py")} - _NOT_CODE)
    parts = [path.read_bytes() for path in files]
    parts.append(sample.packages().encode())
    machine = f"{platform.python_version_tuple()[1]} {platform.machine()}"
    machine += str(sample.chosen() or "")
    return sha256(b"\0".join([*parts, machine.encode()])).hexdigest()


def load(root: Path) -> dict[str, Entry]:
    """By the name of the program; raises OSError, with the line."""
    path, found = root / FILE, {}
    lines = files.text(path, str(FILE)).splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        name, *words = line.split() or [""]
        cases = [word.rstrip("!") for word in words[2:]]
        if len(words) < 2 or not all(map(str.isdecimal, cases)):
            raise BadFile(
                f"{FILE}:{number}: not a line of a lock; take the file from the last"
                " commit"
            )
        wrong = tuple(word.endswith("!") for word in words[2:])
        found[name] = Entry(words[0], words[1], tuple(map(int, cases)), wrong)
    return found


def text(entries: Iterable[tuple[str, Entry]]) -> str:
    """The file with these entries."""
    return "".join(
        " ".join(
            [
                name,
                its.key,
                its.day,
                *(f"{n}{'!' * w}" for n, w in zip(its.cases, its.wrong)),
            ]
        )
        + "\n"
        for name, its in sorted(entries)
    )
