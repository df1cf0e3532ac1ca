"""The committed lock: each sentence that was reviewed with its test, and each verdict.

A file beside the tests of a page, ``tests/statements/guide/tape.lock``::

    test_values 3f9a2b7c1d04e5a6 2026-11-23 40
      0a1b2c3d4e
      ? twice

The test, its key, the day on which it held and in how many cases; below it the digests
of its sentences, and the tokens of them that it doesn't supply: these were reviewed
only. A mark such as ``advice`` has no key, and sentences without a test stand under
``untested``. ``python -m truth accept`` writes the file.
"""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from tracebook import files

from ..errors import BadFile
from ..page import Page
from ..results import write
from ..testfile import file_of

UNTESTED = "untested"


@dataclass
class Entry:
    """What is known of one test."""

    key: str = ""
    day: str = ""
    cases: int = 0
    sentences: list[str] = field(default_factory=list)
    """Digests."""
    reviewed: list[str] = field(default_factory=list)
    """Tokens that no test supplies."""


Lock = dict[str, Entry]


def path_of(page: Page) -> Path:
    return file_of(page).with_suffix(".lock")


def digest(sentence: str) -> str:
    return sha256(sentence.encode()).hexdigest()[:10]


def load(path: Path) -> Lock:
    """By the name of the test; raises OSError, with the line."""
    found: Lock = {}
    lines = files.text(path).splitlines() if path.is_file() else []
    entry = None
    for number, line in enumerate(lines, 1):
        words = line.split()
        if len(words) == 4 and words[3].isdecimal() and line[0] != " ":
            # Git merges two branches by keeping the lines of both (.gitattributes).
            entry = found.setdefault(words[0], Entry())
            entry.key, entry.day, entry.cases = words[1], words[2], int(words[3])
        elif len(words) == 1 and line[0] != " ":
            entry = found.setdefault(words[0], Entry())
        elif entry and line.startswith("  ? "):
            entry.reviewed.append(line[4:])
        elif entry and line.startswith("  ") and len(words) == 1:
            entry.sentences.append(words[0])
        else:
            raise BadFile(
                f"{path}:{number}: not a line of a lock; take the file from the last"
                " commit, and run: python -m truth accept"
            )
    return found


def save(path: Path, lock: Lock) -> None:
    lines = []
    for name in sorted(lock):
        its = lock[name]
        lines.append(f"{name} {its.key} {its.day} {its.cases}" if its.key else name)
        lines += [f"  {each}" for each in its.sentences]
        lines += [f"  ? {each}" for each in sorted(set(its.reviewed))]
    if lines:
        write(path, "\n".join(lines) + "\n")
    else:
        path.unlink(missing_ok=True)
