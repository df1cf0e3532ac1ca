"""Verdicts of tests on this machine, written as they come, so that Ctrl-C loses none.

One file for each page below ``.cache/truth/tests/``, a line of JSON for each test that
held, with a checksum. A line that is damaged, or of another key, counts for nothing.
"""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from ..page import Page
from ..testfile import FOLDER, file_of
from .evidence import Evidence

_FOLDER = Path(".cache/truth/tests")


@dataclass
class Verdict:
    """A test that held: in how many cases, over what, and what it compared."""

    key: str
    cases: int
    over: str
    evidence: Evidence = field(default_factory=Evidence)


class Verdicts:
    """Those of one page, by the name of the test."""

    def __init__(self, page: Page) -> None:
        below = file_of(page).relative_to(page.root / FOLDER)
        self._path = page.root / _FOLDER / below.with_suffix(".jsonl")
        self._known: dict[str, Verdict] = {}
        if self._path.is_file():
            for line in self._path.read_text("utf-8", "replace").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        checksum, _, text = line.partition(" ")
        if checksum != _checksum(text):
            return
        said = json.loads(text)
        evidence = Evidence(
            set(said["numbers"]), set(said["counts"]), set(said["texts"])
        )
        self._known[said["test"]] = Verdict(
            said["key"], said["cases"], said["over"], evidence
        )

    def get(self, name: str, key: str) -> Verdict | None:
        known = self._known.get(name)
        return known if known and known.key == key else None

    def keep(self, name: str, verdict: Verdict) -> None:
        self._known[name] = verdict
        text = json.dumps(
            {
                "test": name,
                "key": verdict.key,
                "cases": verdict.cases,
                "over": verdict.over,
                "numbers": sorted(verdict.evidence.numbers),
                "counts": sorted(verdict.evidence.counts),
                "texts": sorted(verdict.evidence.texts),
            }
        )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{_checksum(text)} {text}\n")


def _checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
