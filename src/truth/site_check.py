"""Schedule the checks of a site: collect known results, run the rest, and keep them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from reader import versions
from sliders import recording
from tracebook import settings, snippet
from tracebook.snippet import Snippet

from . import claim_check, due, tables, tasks
from .finding import STATES, Finding, count
from .page import Page
from .pool import PROGRAMS, Failure, Task
from .results import AGREEMENT, CHECKS, CLAIMS, Results
from .tasks import PageChecked, ProgramsRan

_LAST_LINES = 20
"""Lines of a traceback in a message."""


class SiteCheck:
    """The checks of some of a site's pages.

    Raises:
        SettingsError: a comment of a program isn't understood.
    """

    def __init__(self, root: Path, pages: list[Page], selected: list[Page]) -> None:
        self._root, self._pages, self._selected = root, pages, selected
        self._snippets = settings.load(root).snippets
        self.results = Results(root)
        self._problems: list[str] = []
        self._programs: dict[str, Snippet] = {}
        for page in selected:
            self._programs |= page.programs
            for name in dict.fromkeys(page.included_names):
                if page.included_file(name) is None:
                    location = page.location(page.text.index(f'"{name}'))
                    self._problems.append(
                        f"{location}: embeds {name}, which is not in {self._snippets}/"
                    )
        self._problems += self._problems_of_records(selected)

    def _problems_of_records(self, pages: list[Page]) -> Iterator[str]:
        """Find tables, sliders, and programs of other frameworks, whose record isn't
        that of a run as they are now."""
        names = {name for page in pages for name in page.included_names}
        is_whole = len(pages) == len(self._pages)
        for label, line, message in (*tables.problems(self._root), *self._twins()):
            if is_whole or label.removeprefix(f"{self._snippets}/") in names:
                yield f"{label}:{line}: {message}"
        for program in self._programs.values():
            yield from map(": ".join, recording.problems(program))

    def _twins(self) -> Iterator[tuple[str, int, str]]:
        """Find programs of other frameworks that changed since they ran."""
        try:
            runs = versions.load(self._root)
        except versions.ResultsError as error:
            raise OSError(str(error)) from error
        for twin in snippet.find(replace(settings.load(self._root), twins=True)):
            if runs.programs.get(twin.name) != versions.digest(*twin.digests):
                message = "it or its output changed since it ran; run: make frameworks"
                yield twin.label, 1, message

    def tasks(self) -> list[Task]:
        """Return what is to be done before formulas are compared with programs."""
        programs = tuple(
            program.label
            for _, program in sorted(self._programs.items())
            if self._is_program_open(program)
        )
        pages = self._tasks([check for check in CHECKS if check != AGREEMENT])
        return [Task(PROGRAMS, programs), *pages] if programs else pages

    def comparisons(self) -> list[Task]:
        """Return what is to be done when the programs have run."""
        return self._tasks([AGREEMENT])

    def _tasks(self, checks: list[str]) -> list[Task]:
        return [
            Task(check, (page.label,))
            for check in checks
            for page in self._selected
            if self._is_open(check, page)
        ]

    def _is_program_open(self, program: Snippet) -> bool:
        """Return whether a program is to run. One that failed runs again."""
        result = self.results.program(program)
        if due.is_everything() or result is None or not result.passed:
            return True
        return not result.is_checked and tasks.is_due(program.label, self._root)

    def _is_open(self, check: str, page: Page) -> bool:
        """Return whether a check is to run. One that failed runs again."""
        if check == AGREEMENT and not all(self.results.programs(page).values()):
            return False  # a program didn't run
        findings = self.results.findings(check, page)
        if findings is None or any(finding.state == "failed" for finding in findings):
            is_waiting = check == CLAIMS and not claim_check.is_known(page)
            return not is_waiting or claim_check.is_due(page)
        return due.is_everything()

    def done(self, task: Task, result: PageChecked | ProgramsRan | Failure) -> None:
        """Keep the result of a task, or note that it has none."""
        match result:
            case Failure(message):
                lines = message.strip().splitlines()[-_LAST_LINES:]
                heading = f"truth: {task.check} did not come to its end, on "
                heading += ", ".join(task.paths)
                self._problems.append("\n    ".join([heading, *lines]))
            case PageChecked(key, findings):
                self.results.keep(task.check, key, findings)
                page = next(p for p in self._selected if p.label == task.paths[0])
                if key != self.results.keys.of_page(task.check, page):
                    self._problems.append(f"{page.label}: {_CHANGED}")
            case ProgramsRan(results, problems):
                for name, (key, program_result) in results.items():
                    self.results.keep_program(key, program_result)
                    program = self._programs[name]
                    if key != self.results.keys.of_program(name, program.digests):
                        self._problems.append(f"{program.label}: {_CHANGED}")
                self._problems += problems

    def failures(self) -> list[str]:
        """Return what failed, in the order of pages and lines."""
        failed = [each for each in self._findings() if each.state == "failed"]
        failed.sort(key=lambda finding: _sort_key(finding.location))
        return [*self._problems, *dict.fromkeys(map(str, failed))]

    def _findings(self) -> list[Finding]:
        return [
            finding
            for page in self._selected
            for finding in self.results.all_findings(page)
        ]

    def unverified(self) -> Iterator[str]:
        """Yield for each page of the site why it isn't known to pass."""
        for page in self._pages:
            findings = self.results.all_findings(page)
            failed = [str(each) for each in findings if each.state == "failed"]
            for name, result in self.results.programs(page).items():
                if result and not result.ran and not failed:
                    program = f"{self._snippets}/{name}"
                    run = f"run: python -m tracebook check {program}"
                    yield f"{page.label}: {program} did not print its output; {run}"
            if failed or self.results.is_complete(page):
                yield from failed
            else:
                yield f"{page.label}: not checked as it is now"
        yield from self._problems_of_records(self._pages)

    def summary(self) -> Iterator[str]:
        """Yield a line on the programs, and one for each kind of finding."""
        results = {each: self.results.program(each) for each in self._programs.values()}
        ran = [program for program, result in results.items() if result and result.ran]
        yield (
            f"programs: {len(ran)} run, {len(ran)} outputs compared,"
            f" {sum(bool(program.raises) for program in ran)} errors reproduced,"
            f" {len(self._programs) - len(ran)} failed"
        )
        for kind, counts in count(self._findings()).items():
            parts = [
                f"{n} {state}{'s' * (state == 'definition' and n > 1)}"
                for state in STATES
                if (n := counts[state]) and state != "failed"
            ]
            yield f"{kind}s: {', '.join(parts) or '0'}, {counts['failed']} failed"
        waiting = [page for page in self._selected if not claim_check.is_known(page)]
        if waiting:
            yield f"{len(waiting)} pages whose claims wait for their turn, or CI"


_CHANGED = "changed while it was checked; run truth again"


def _sort_key(location: str) -> tuple[str, int]:
    file, _, line = location.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (location, 0)
