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
from dataclasses import asdict, dataclass
from pathlib import Path

from tracebook import snippet
from tracebook.settings import Settings

CODE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Program:
    """A program whose rules are to be judged."""

    path: Path
    source: str
    wrong: bool = False
    """Whether its rules shall not hold."""
    raises: str | None = None
    """Type of the exception that it declares to end with."""
    numbers: bool = False
    """Whether to tell what each rule returns at fresh points."""


@dataclass(frozen=True)
class Verdict:
    """What is said of one rule, or of one declaration."""

    line: int
    what: str
    state: str
    how: str
    wrong_on_purpose: bool = False
    """Whether it was checked that a rule is wrong, as it shall be."""
    numbers: tuple = ()


def load(path: Path, snippets: Path) -> Program:
    wrong = path.relative_to(snippets).parts[-2:-1] == ("wrong",)
    its = snippet.load(path, Settings(snippets.parent, snippets.name))
    return Program(path, its.source, wrong, its.raises)


def judge(programs: list[Program], root: Path) -> list[list[Verdict]]:
    """The verdicts on each program, in the order of its lines."""
    jobs = [asdict(each) | {"path": str(each.path)} for each in programs]
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
    return [Verdict(**each) for each in answer["findings"]]
