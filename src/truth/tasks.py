"""Perform one task: check a page, or run programs."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gradients import client
from tracebook import settings

from . import due
from .finding import Finding
from .page import Page
from .pool import PROGRAMS, Task
from .results import AGREEMENT, CLAIMS, NUMBERS, STRUCTURE, Keys, ProgramResult

_MOST_CALLS, _MOST_LETTERS = 3, 4000
"""Calls of a custom gradient that are kept, and letters of each, at most."""


class PageChecked(NamedTuple):
    """The findings of a check on a page, and the key of what it read."""

    key: str
    findings: list[Finding]


class ProgramsRan(NamedTuple):
    """The results of programs, each with its key, and the engine's problems."""

    results: dict[str, tuple[str, ProgramResult]]
    problems: list[str]


def perform(task: Task, root: Path) -> PageChecked | ProgramsRan:
    """Perform a task, in a worker process."""
    if task.check == PROGRAMS:
        return _run_programs(task.paths, root)
    [path] = task.paths
    page = Page(root / path, root)
    findings = [*_checks()[task.check](page)]
    return PageChecked(Keys(root).of_page(task.check, page), findings)


def _checks() -> dict[str, Callable[[Page], Iterable[Finding]]]:
    """Return the checks by name. Importing them takes a second, so only workers do."""
    from . import claim_check, numbers, quotes
    from .agreement import check as agreement
    from .formulas import check as formulas
    from .structure import check as structure

    return {
        CLAIMS: claim_check.check,
        "formulas": formulas.check_page,
        "quotes": quotes.check,
        STRUCTURE: structure.check,
        NUMBERS: numbers.check,
        AGREEMENT: agreement.check,
    }


def is_due(program: str, root: Path) -> bool:
    """Return whether the custom gradients of a program are checked today."""
    output = str(Path(program).with_suffix(".out"))
    return due.is_due(root, program, program, output)


def _run_programs(labels: tuple[str, ...], root: Path) -> ProgramsRan:
    """Run programs, compare their outputs, and check their custom gradients."""
    snippets, keys = settings.load(root).snippets, Keys(root)
    later = [label for label in labels if not is_due(label, root)]
    postponed = [label.removeprefix(f"{snippets}/") for label in later]
    paths = [root / label for label in labels]
    report, observations = client.check_programs(paths, root, postponed)
    failed = {problem["name"] for problem in report["problems"]}
    results = {}
    for name, observation in observations.items():
        gradients = [replace(g, calls=_few(g.calls)) for g in observation.gradients]
        result = ProgramResult(name not in failed, gradients, observation.local_values)
        results[name] = keys.of_program(name, report["digests"][name]), result
    messages = [f"{p['location']}: {p['message']}" for p in report["problems"]]
    return ProgramsRan(results, messages)


def _few(calls: list[dict]) -> list[dict]:
    """Return a few small calls, first those whose gradient was computed."""
    small = [call for call in calls if len(json.dumps(call)) <= _MOST_LETTERS]
    return sorted(small, key=lambda call: not call["upstream"])[:_MOST_CALLS]
