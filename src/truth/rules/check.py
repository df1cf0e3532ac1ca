"""Every rule that a program makes, checked by numbers.

Each program under ``snippets/`` runs in a process of its own in which all that
makes a rule is observed: ``observer`` remembers the calls, ``judge``
repeats them elsewhere and compares the gradients with differences of the forward
pass. What a rule is meant to be, if not that, its program declares: see
``sites``.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ..finding import Finding
from ..page import Page

CODE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Program:
    """A program whose rules are to be judged."""

    path: Path
    source: str
    wrong: bool = False
    """Whether its rules shall not hold."""
    numbers: bool = False
    """Whether to tell what each rule returns at fresh points."""


@dataclass(frozen=True)
class Verdict:
    """What is said of one rule, or of one declaration."""

    line: int
    what: str
    state: str
    how: str
    numbers: tuple = ()
    wrong_on_purpose: bool = False


def check(pages: list[Page], root: Path) -> list[Finding]:
    """A finding for each rule and each page that shows it."""
    snippets = root / "snippets"
    programs = [load(path, snippets) for path in sorted(snippets.rglob("*.py"))]
    findings = []
    for program, verdicts in zip(programs, judge(programs, root)):
        name = program.path.relative_to(snippets).as_posix()
        shown = program.path.relative_to(root).as_posix()
        owners = [page.shown for page in pages if name in page.embeds] or [shown]
        findings += [
            Finding(
                "rule",
                each.state,
                owner,
                f"{shown}:{each.line}",
                each.what,
                each.how,
                shown,
                wrong_on_purpose=each.wrong_on_purpose,
            )
            for each in verdicts
            for owner in owners
        ]
    return findings


def load(path: Path, snippets: Path) -> Program:
    wrong = path.relative_to(snippets).parts[-2:-1] == ("wrong",)
    return Program(path, path.read_text("utf-8"), wrong)


def judge(programs: list[Program], root: Path) -> list[list[Verdict]]:
    """The verdicts on each program, in the order of its lines."""
    jobs = [
        {
            "path": str(each.path),
            "source": each.source,
            "wrong": each.wrong,
            "numbers": each.numbers,
        }
        for each in programs
    ]
    return [_verdicts(answer) for answer in _ask(root, jobs)]


def _ask(root: Path, jobs: list[dict]) -> list[dict]:
    done = subprocess.run(
        [sys.executable, "-m", "truth.rules.server"],
        cwd=CODE,
        text=True,
        input=json.dumps({"root": str(root.resolve()), "jobs": jobs}),
        capture_output=True,
    )
    if done.returncode:
        raise RuntimeError(f"truth.rules.server failed:\n{done.stderr}")
    return json.loads(done.stdout)


def _verdicts(answer: dict) -> list[Verdict]:
    if "problem" in answer:
        return [Verdict(1, "rules", "failed", answer["problem"])]
    return [
        Verdict(
            each["line"],
            each["what"],
            each["state"],
            each["how"],
            tuple(each.get("numbers", ())),
            each.get("wrong_on_purpose", False),
        )
        for each in answer["findings"]
    ]
