"""Every rule that a program makes, checked by numbers.

Each program under ``snippets/`` runs in a process of its own in which all that
makes a rule is observed: ``observer`` remembers the calls, ``judge``
repeats them elsewhere and compares the gradients with differences of the forward
pass. What a rule is meant to be, if not that, its program declares: see
``sites``.
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

from tracebook import snippet
from tracebook.settings import Settings
from tracebook.snippet import Snippet

CODE = Path(__file__).resolve().parents[1]
OBSERVER = "gradients.child"
WAITING = "TRUTH_WAITING"
"""The environment variable with the names of programs whose custom gradients are not
judged today: their calls are kept for the comparison with formulas."""
WRONG = "wrong"
"""The folder of programs that are wrong on purpose."""


@dataclass(frozen=True)
class Program(Snippet):
    """A program whose rules are to be judged, as a file or as a text."""

    wrong: bool = False
    """Whether its rules shall not hold."""

    @classmethod
    def of(cls, path: Path, source: str) -> "Program":
        return cls(
            path, path.name, path.name, source, None, 0, wrong=path.parent.name == WRONG
        )


@dataclass(frozen=True)
class Verdict:
    """What is said of one rule, or of one declaration."""

    line: int
    text: str
    state: str
    detail: str
    expected_failure: bool = False
    """Whether it was checked that a rule is wrong, as it shall be."""
    cases: int = 0
    """Slopes that were compared."""
    calls: tuple = ()
    """What the rule was given and gave while the program ran: each as ``Record`` has
    it, arrays as nested lists."""


def load(path: Path, snippets: Path) -> Program:
    its = snippet.load(path, Settings(snippets.parent, snippets.name))
    return Program(**vars(its), wrong=path.parent.name == WRONG)


@dataclass(frozen=True)
class Observed:
    """What was found of one program."""

    rules: list[Verdict]
    """In the order of its lines."""
    names: list[list[dict]]
    """Of each of its functions some calls, and the program itself: what it had by
    name when it returned, and what it returned."""

    @classmethod
    def of(cls, said: dict | None) -> "Observed":
        said = said or {"rules": (), "names": []}  # it did not come to its end
        return cls([Verdict(**each) for each in said["rules"]], said["names"])


def observe(
    programs: list[Path], root: Path, waiting: Collection[str] = ()
) -> tuple[list[dict], dict[str, Observed]]:
    """Run programs once, compare their output and judge their custom gradients.

    Args:
        programs: their files.
        root: the project's folder.
        waiting: names of programs whose custom gradients aren't judged today; their
            state is ``not run``.

    Returns:
        The engine's problems, as JSON has them, and what was observed of each program,
        by its name.
    """
    report = _ask(root, waiting, paths=list(map(str, programs)))
    return report["problems"], {
        name: Observed.of(said) for name, said in report["observed"].items()
    }


def judge(programs: list[Program], root: Path) -> list[list[Verdict]]:
    """The verdicts on each program, in the order of its lines; first that it failed,
    if it did."""
    jobs = [
        asdict(each) | {"name": str(n), "path": str(each.path)}
        for n, each in enumerate(programs)
    ]
    said = _ask(root, planted=jobs)
    return [_verdicts(said[str(n)]) for n in range(len(programs))]


def _ask(root: Path, waiting: Collection[str] = (), **programs: list) -> dict:
    request = {"root": str(root.resolve()), "paths": [], "planted": []}
    done = subprocess.run(
        [sys.executable, "-m", "gradients.server"],
        cwd=CODE,
        text=True,
        input=json.dumps(request | programs),
        stdout=subprocess.PIPE,
        env={**os.environ, WAITING: json.dumps([*waiting])},
    )
    if done.returncode:
        raise RuntimeError(f"gradients.server ended with {done.returncode}")
    return json.loads(done.stdout)


def _verdicts(answer: dict) -> list[Verdict]:
    found = Observed.of(answer["observed"]).rules
    if answer["problem"]:
        found.insert(0, Verdict(1, "program", "failed", answer["problem"]))
    return found
