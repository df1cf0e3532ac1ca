"""What the checks found on the pages as they are now.

Results are kept in the project's store, under keys that are digests of all that they
depend on.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from tracebook import files, fingerprint, settings, snippet
from tracebook.fingerprint import digest
from tracebook.store import Store

from . import claims
from .finding import KINDS, PASSED, STATES, Finding
from .page import BIBLIOGRAPHY, FILE_NAME, LEDGER, Page

AGREEMENT, CLAIMS = "agreement", "claims"
CHECKS = (*(CLAIMS, "formulas", "quotes", "structure", "numbers", AGREEMENT),)
"""The checks of pages; the slowest first."""

_OF_RUNS = ("tracebook", "gradients", "vjpcheck")
"""The code that runs of programs depend on, and what is found of their gradients."""
_OF_PAGES = (
    "algebra",
    "gradients",
    "mathml",
    "sliders",
    "tracebook",
    "truth",
    "vjpcheck",
)
_PROGRAM = "program"
_MADE = (LEDGER, "site", ".venv", ".cache")
"""Folders that a check or a build writes."""


@dataclass(frozen=True)
class Program:
    """What is known of a program."""

    raises: str | None
    """Type of the error that it declares."""
    ran: bool = False
    """Whether it ran and printed its output."""
    rules: tuple[Finding, ...] | None = None
    """Findings on its custom gradients; None if they weren't checked to the end."""
    names: str = ""
    """What its functions had by name when they returned, as JSON."""

    @property
    def holds(self) -> bool:
        """Whether it ran and nothing failed."""
        return (
            self.ran
            and self.rules is not None
            and not any(rule.state == "failed" for rule in self.rules)
        )

    @property
    def is_judged(self) -> bool:
        """Whether all its custom gradients were compared with finite differences."""
        return self.rules is not None and not any(
            rule.state == "not run" for rule in self.rules
        )


class Results:
    """The results of a project's pages and programs.

    Args:
        root: the project's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._settings = settings.load(root)
        self._store = Store(self._settings.store_path)
        self._keys = Keys(root)

    def findings(self, check: str, page: Page) -> tuple[Finding, ...] | None:
        """Return what a check found on a page as it is now, or None if it didn't
        run."""
        record = self._store.get(check, self._keys.of_page(check, page))
        return None if record is None else _findings(record)

    def keep(self, check: str, page: Page, findings: Iterable[Finding]) -> None:
        """Keep what a check found on a page."""
        key = self._keys.of_page(check, page)
        self._store.put(check, key, [asdict(finding) for finding in findings])

    def program(self, name: str) -> Program | None:
        """Return what is known of a program as it is now, or None."""
        record = self._store.get(_PROGRAM, self._keys.of_program(name))
        if record is None:
            return None
        rules = record.pop("rules")
        return Program(**record, rules=None if rules is None else _findings(rules))

    def keep_program(self, name: str, program: Program) -> None:
        """Keep what was found of a program."""
        self._store.put(_PROGRAM, self._keys.of_program(name), asdict(program))

    def programs(self, page: Page) -> dict[str, Program | None]:
        """Return what is known of the programs that a page shows, by their names."""
        return {name: self.program(name) for name in programs_of(page)}

    def all_findings(self, page: Page) -> list[Finding]:
        """Return what all checks found on a page and on its programs' gradients."""
        found = [
            finding for check in CHECKS for finding in self.findings(check, page) or ()
        ]
        for program in self.programs(page).values():
            found += program.rules or () if program else ()
        return found

    def is_whole(self, page: Page) -> bool:
        """Whether every check of a page came to its end; claims may wait for their
        turn."""
        return all(
            self.findings(check, page) is not None
            for check in CHECKS
            if check != CLAIMS
        ) and all(
            program is not None and program.rules is not None
            for program in self.programs(page).values()
        )

    def demand_room(self) -> None:
        """Raise OSError if results can't be kept, before there are any."""
        path = self._settings.store_path.with_name("room")
        files.write(path, bytes(1_000_000))
        path.unlink(missing_ok=True)
        self._store.put("room", "", 0)


def _findings(records: list[dict]) -> tuple[Finding, ...]:
    return tuple(Finding(**record) for record in records)


def programs_of(page: Page) -> list[str]:
    """Return the names of the programs that a page shows and that are there."""
    names = dict.fromkeys(name for name in page.included_names if name.endswith(".py"))
    return [name for name in names if page.included_file(name)]


def declared(name: str, root: Path) -> Program:
    """Return a program of which only its declarations are known."""
    book = settings.load(root)
    return Program(snippet.load(book.snippets_dir / name, book).raises)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, and only if it changes."""
    content = text.encode(errors="backslashreplace")
    if not path.exists() or path.read_bytes() != content:
        files.write(path, content)


class Keys:
    """The keys of results: digests of what they depend on now."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._book = settings.load(root)

    def of_page(self, check: str, page: Page) -> str:
        """Return the key of a check's findings on a page."""
        around = self._around if check == "structure" else ""
        tests = claims.key(page) if check in (CLAIMS, "numbers") else ""
        own = self._book.snippets_dir / page.name
        named = _named(page.source, self._root, own, page.path.parent)
        return digest(self._world(_OF_PAGES), page.source, around, tests, *named)

    def of_program(self, name: str) -> str:
        """Return the key of what is found of a program."""
        path = self._book.snippets_dir / name
        output = _content(path.with_suffix(".out"))
        return digest(self._world(_OF_RUNS), name, _content(path), output)

    def _world(self, parts: tuple[str, ...]) -> str:
        settings_ = repr(replace(self._book, root=Path()))
        return digest(fingerprint.environment(), fingerprint.code(*parts), settings_)

    @cached_property
    def _around(self) -> str:
        """What tells where a page stands, and what it cites."""
        bibliography = self._book.docs_dir / BIBLIOGRAPHY
        return digest(_content(self._root / "mkdocs.yml"), _content(bibliography))


def tally(findings: Iterable[Finding]) -> dict[str, Counter]:
    """Count the findings of each kind by their state."""
    counts: dict[str, Counter] = {kind: Counter() for kind in KINDS}
    for finding in findings:
        counts[finding.kind][finding.state] += 1
    return counts


def states(counts: Counter) -> str:
    """Return ``48 proven, 9 given, 3 definitions``, or ``0``."""
    parts = [
        f"{counts[state]} {state}{'s' * (state == 'definition' and counts[state] > 1)}"
        for state in STATES
        if counts[state] and state != "failed"
    ]
    return ", ".join(parts) or "0"


def holding(counts: Counter) -> int:
    """Count those that were checked and hold."""
    return sum(counts[state] for state in PASSED)


def _named(text: str, root: Path, *folders: Path) -> list[bytes | str]:
    """Return the path and the content of each file that a text names or includes."""
    book = settings.load(root)
    made = (*_MADE, book.label(book.figures_dir))
    paths = _paths(text, root, (book.snippets_dir, *folders), made)
    return [
        part
        for path in paths
        if os.path.isfile(f"{root}/{path}")
        for part in (path, _content(root / path))
    ]


@lru_cache(maxsize=1 << 10)
def _paths(
    text: str, root: Path, folders: tuple[Path, ...], made: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the paths at which the files that a text names could lie."""
    names = {*FILE_NAME.findall(text)}
    # An output belongs to its program, and the inputs of readers to both.
    for one, other in ((".py", ".out"), (".out", ".py"), (".py", ".live")):
        names |= {n.removesuffix(one) + other for n in names if n.endswith(one)}
    # A deliberately wrong program belongs to the right one above it.
    names |= {name.replace("wrong/", "") for name in names}
    below = [os.path.relpath(folder, root) for folder in (root, *folders)]
    joined = {os.path.join(folder, name) for folder in below for name in names}
    tops = tuple(f"{top}/" for top in made)
    paths = sorted({*map(os.path.normpath, joined)})
    return tuple(path for path in paths if not f"{path}/".startswith(tops))


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def title(page: Page) -> str:
    """Return the first heading, with its code and without its attributes."""
    for start, level, _ in page.headings:
        if level == 1:
            line = page.text[start:].partition("\n")[0].strip("# ")
            return re.sub(r"\s*\{[^{}]*\}$", "", line)
    return page.path.stem


def calls_as_json(calls: tuple[dict, ...], most: int, largest: int) -> str:
    """Return a few small calls as JSON, first those whose gradient was computed.

    Args:
        calls: of a gradient function, as the observer records them.
        most: how many are kept.
        largest: letters of a call, at most.
    """
    small = [call for call in calls if len(json.dumps(call)) <= largest]
    return json.dumps(sorted(small, key=lambda call: not call["upstream"])[:most])
