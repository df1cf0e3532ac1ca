"""Schedule the checks of pages: collect known results, run the rest, and keep them."""

import json
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from gradients import client
from tracebook import settings

from . import claims, results, share, tables
from .finding import Finding
from .page import Page
from .pool import PROGRAMS, Answer, Task
from .results import AGREEMENT, CHECKS, CLAIMS, Program, Results

_OF_RUNS = ("trace", "names")
"""Kinds of findings on a run, beside those on custom gradients."""
_LAST_LINES = 20
_CALLS, _LARGEST_CALL = 3, 4000


def ask(task: Task, root: Path) -> Answer:
    """Do a task, and return what it found."""
    if task.check == PROGRAMS:
        return _programs(task.things, root)
    pages = [Page(root / thing, root) for thing in task.things]
    return _checks()[task.check](pages, root)


def _checks() -> dict[str, Callable[[list[Page], Path], Answer]]:
    """Return the checks by name. Importing them takes a second, so only workers do."""
    from . import numbers, quotes
    from .agreement import check as agreement
    from .formulas import check as formulas
    from .structure import check as structure

    return {
        CLAIMS: claims.check,
        "formulas": formulas.check,
        "quotes": quotes.check,
        "structure": structure.check,
        "numbers": numbers.check,
        AGREEMENT: agreement.check,
    }


def _programs(programs: tuple[str, ...], root: Path) -> Answer:
    """Run programs, compare their output, and judge their custom gradients."""
    snippets = settings.load(root).snippets
    waiting = [
        name.removeprefix(f"{snippets}/")
        for name in programs
        if not _is_due(name, root)
    ]
    report, observed = client.check_programs(
        [root / each for each in programs], root, waiting
    )
    answer = []
    for problem in report["problems"]:
        program = f"{snippets}/{problem['name']}"
        where, text = problem["location"], problem["message"]
        answer.append(Finding("trace", "failed", program, where, "", text))
    for name, observation in observed.items():
        program = f"{snippets}/{name}"
        names = json.dumps(observation.local_values)
        answer.append(Finding("names", "given", program, program, "", calls=names))
        for verdict in observation.gradients:
            calls = results.calls_as_json(verdict.calls, _CALLS, _LARGEST_CALL)
            answer.append(
                Finding(
                    "rule",
                    verdict.state,
                    program,
                    f"{program}:{verdict.line}",
                    verdict.text,
                    verdict.detail,
                    program,
                    verdict.cases,
                    verdict.expected_failure,
                    calls=calls,
                )
            )
    return answer


def _is_due(program: str, root: Path) -> bool:
    """Whether the custom gradients of a program are judged today."""
    output = str(Path(program).with_suffix(".out"))
    return share.is_due(root, program, program, output)


class Work:
    """The checks of some pages.

    Args:
        root: the project's folder.
        book: all pages.
        chosen: those to check.
    """

    def __init__(self, root: Path, book: list[Page], chosen: list[Page]) -> None:
        self._root, self._book, self._chosen = root, book, chosen
        self._snippets = settings.load(root).snippets
        self.pages = len(chosen)
        self.results = Results(root)
        self._problems: list[str] = []
        self._by_name = {page.label: page for page in chosen}
        for page in chosen:
            for name in results.programs_of(page):
                results.declared(name, root)  # a comment that isn't understood raises
            for name in dict.fromkeys(page.included_names):
                if page.included_file(name) is None:
                    where = page.location(page.text.index(f'"{name}'))
                    self._problems.append(
                        f"{where}: embeds {name}, which is not in {self._snippets}/"
                    )
        self._problems += self._tables()

    def _tables(self) -> Iterator[str]:
        """Find tables of the chosen pages that no run filled as they are now."""
        embedded = {
            f"{self._snippets}/{name}"
            for page in self._chosen
            for name in page.included_names
        }
        is_whole = len(self._chosen) == len(self._book)
        for path, line, message in tables.problems(self._root):
            if is_whole or path in embedded:
                yield f"{path}:{line}: {message}"
        for name in tables.stale(self._root):
            path = (tables.RECORDS / f"{name}.md").as_posix()
            if path in embedded:
                run = f"python -m tests.tables {name}"
                yield f"{path}:1: what it was computed from has changed; run: {run}"

    def tasks(self) -> list[Task]:
        """Return what is to be found before formulas are compared with programs."""
        programs = sorted(
            f"{self._snippets}/{name}"
            for name in {n for page in self._chosen for n in results.programs_of(page)}
            if self._is_wanted(name)
        )
        return [Task(PROGRAMS, tuple(programs))] * bool(programs) + [
            Task(check, (page.label,))
            for check in CHECKS
            if check != AGREEMENT
            for page in self._chosen
            if self._is_open(check, page)
        ]

    def _is_wanted(self, name: str) -> bool:
        """Whether a program is to run."""
        if share.everything() or (known := self.results.program(name)) is None:
            return True
        is_due = _is_due(f"{self._snippets}/{name}", self._root)
        return not known.holds or (is_due and not known.is_judged)

    def _is_open(self, check: str, page: Page) -> bool:
        """Whether a check of a page is to run; what failed is checked again."""
        known = self.results.findings(check, page)
        if known is None or any(finding.state == "failed" for finding in known):
            is_waiting = check == CLAIMS and not claims.is_known(page)
            return not is_waiting or claims.is_due(page)
        return share.everything()

    def comparisons(self) -> list[Task]:
        """Return what is to be found when the programs ran."""
        return [
            Task(AGREEMENT, (page.label,))
            for page in self._chosen
            if self._is_open(AGREEMENT, page)
            and all(
                program is not None and program.rules is not None
                for program in self.results.programs(page).values()
            )
        ]

    def done(self, task: Task, answer: Answer | BaseException) -> None:
        """Keep what a task found, or tell how it ended."""
        if isinstance(answer, BaseException):
            self._did_not_end(task, answer)
            return
        findings = defaultdict(list)
        for finding in answer:
            findings[finding.page].append(finding)
        if strangers := findings.keys() - {*task.things}:
            self._problems.append(f"truth: {task.check} tells of {strangers}")
            return
        for thing in task.things:
            if task.check == PROGRAMS:
                self._keep_program(thing, findings[thing])
            else:
                page = self._by_name[thing]
                self.results.keep(task.check, page, findings[thing])

    def _keep_program(self, thing: str, findings: list[Finding]) -> None:
        name = thing.removeprefix(f"{self._snippets}/")
        traces = [finding for finding in findings if finding.kind == "trace"]
        program = replace(
            results.declared(name, self._root),
            ran=not traces,
            rules=tuple(each for each in findings if each.kind not in _OF_RUNS),
            names="".join(each.calls for each in findings if each.kind == "names"),
        )
        self.results.keep_program(name, program)
        self._problems += [f"{each.location}: {each.detail}" for each in traces]

    def _did_not_end(self, task: Task, error: BaseException) -> None:
        lines = "".join(traceback.format_exception(error)).strip().splitlines()
        heading = f"truth: {task.check} did not come to its end, on "
        heading += ", ".join(task.things)
        self._problems.append("\n    ".join([heading, *lines[-_LAST_LINES:]]))

    def failures(self) -> list[str]:
        """Return what does not hold, in the order of pages and lines."""
        failed = [
            finding
            for page in self._chosen
            for finding in self.results.all_findings(page)
            if finding.state == "failed"
        ]
        failed.sort(key=lambda finding: _place(finding.location))
        return [*self._problems, *dict.fromkeys(map(str, failed))]

    def unproven(self) -> Iterator[str]:
        """Return the pages of which it isn't known that they hold, and why."""
        for page in self._book:
            findings = self.results.all_findings(page)
            failed = [str(each) for each in findings if each.state == "failed"]
            differ = [
                f"{page.label}: {self._snippets}/{name} did not print its output; run:"
                f" python -m tracebook check {self._snippets}/{name}"
                for name, program in self.results.programs(page).items()
                if program and program.rules is not None and not program.ran
            ]
            if failed or differ:
                yield from failed or differ
            elif not self.results.is_whole(page):
                yield f"{page.label}: not checked as it is now"

    def summary(self) -> Iterator[str]:
        """Return a line on the programs, and one for each kind of finding."""
        programs: dict[str, Program | None] = {}
        for page in self._chosen:
            programs |= self.results.programs(page)
        ran = [program for program in programs.values() if program and program.ran]
        yield (
            f"programs: {len(ran)} run, {len(ran)} outputs compared,"
            f" {sum(bool(program.raises) for program in ran)} errors reproduced,"
            f" {len(programs) - len(ran)} failed"
        )
        findings = [
            finding
            for page in self._chosen
            for finding in self.results.all_findings(page)
        ]
        for kind, states in results.tally(findings).items():
            yield f"{kind}s: {results.states(states)}, {states['failed']} failed"
        waiting = [page for page in self._chosen if not claims.is_known(page)]
        if waiting:
            yield f"{len(waiting)} pages whose claims wait for their turn, or CI"


def _place(where: str) -> tuple[str, int]:
    file, _, line = where.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (where, 0)
