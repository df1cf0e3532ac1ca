"""What is known of a book, what is to be found, finding it, and what was found."""

import faulthandler
import json
import math
import os
import signal
import subprocess
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures import ProcessPoolExecutor as Pool
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path

import psutil

from tracebook import progress, scratch, settings
from tracebook.settings import SettingsError

from . import results, sample
from .finding import Finding
from .page import Page
from .results import (
    AGREEMENT,
    CHECKS,
    Checked,
    Keys,
    Program,
    Record,
    Results,
)
from .rules import check as rules
from .rules import lock as rule_lock
from .rules import sites as rule_sites
from .statements.check import Check as StatementsOf
from .testfile import file_of

TIME_LIMIT = 900.0
"""Seconds of work, of all threads, for a check of one page; by the clock it may take
twice as long, because others work, too. Programs have limits of their own."""
_BY_THE_CLOCK = 2
PROGRAMS = "programs"
_OF_RUNS = ("trace", "names")
"""Kinds of what is said of a run, beside the rules."""
_LAST_LINES = 20
_CALLS, _LARGEST_CALL = 3, 4000
"""Calls of a rule that are kept, and the letters of each, at most."""


@dataclass(frozen=True)
class Task:
    """What one process is asked: one check, of a page or of programs."""

    check: str
    things: tuple[str, ...]
    """Paths below the root."""

    @property
    def waits(self) -> bool:
        """Whether others work meanwhile: programs run in processes of their own."""
        return self.check == PROGRAMS


Answer = list[Finding]
Ask = Callable[[Task, Path], Answer]
Done = Callable[[Task, Answer | BaseException], None]


def ask(task: Task, root: Path) -> Answer:
    """What a check says."""
    if task.check == PROGRAMS:
        return _programs(task.things, root)
    pages = [Page(root / thing, root) for thing in task.things]
    return _checks()[task.check](pages, root)


def _checks() -> dict[str, Callable[[list[Page], Path], Answer]]:
    """By their names. Only who checks a page imports them: SymPy takes a second."""
    from . import quotes
    from .agreement import check as agreement
    from .formulas import check as formulas
    from .modes import check as modes
    from .statements import check as statements
    from .structure import check as structure

    return {
        "statements": statements.check,
        "formulas": formulas.check,
        "quotes": quotes.check,
        "structure": structure.check,
        "modes": modes.check,
        "agreement": agreement.check,
    }


def _programs(programs: tuple[str, ...], root: Path) -> Answer:
    """What the engine finds against programs and their traces, and of the rules in
    them, whichever pages show them."""
    snippets = settings.load(root).snippets
    held = _held_rules(programs, root)
    problems, judged = rules.observe(
        [root / each for each in programs],
        root,
        [name.removeprefix(f"{snippets}/") for name in held],
    )
    found = []
    for problem in problems:
        program = f"{snippets}/{problem['name']}"
        where, text = problem["where"], problem["text"]
        found.append(Finding("trace", "failed", program, where, "", text))
    for name, its in judged.items():
        program = f"{snippets}/{name}"
        names = json.dumps(its.names)
        found.append(Finding("names", "given", program, program, "", calls=names))
        for at, each in enumerate(its.rules):
            rule = Finding(
                *("rule", each.state, program, f"{program}:{each.line}"),
                *(each.what, each.how, program, each.cases),
                wrong_on_purpose=each.wrong_on_purpose,
                calls=_some(each.calls),
            )
            if each.state == "held":
                its_lock = held[program]
                is_wrong = its_lock.wrong[at]
                rule = replace(
                    rule,
                    state="tried",
                    how="wrong, as it shall be" if is_wrong else "",
                    cases=its_lock.cases[at],
                    wrong_on_purpose=is_wrong,
                    day=its_lock.day,
                )
            found.append(rule)
    return found


def _held_rules(programs: tuple[str, ...], root: Path) -> dict[str, rule_lock.Entry]:
    """The programs whose rules held before, as the lock says, less today's sample."""
    lock, snippets = rule_lock.load(root), settings.load(root).snippets
    found = {}
    for program in programs:
        name = program.removeprefix(f"{snippets}/")
        if (entry := lock.get(name)) and not sample.tries_again(name):
            source = (root / program).read_text("utf-8", "replace")
            # Only what held can be parsed: another text may not.
            is_current = entry.key == rule_lock.key(source)
            if is_current and len(rule_sites.find(source)) == len(entry.cases):
                found[program] = entry
    return found


def _some(calls: tuple[dict, ...]) -> str:
    """A few small calls; of which the rule was asked, if there are such."""
    small = [each for each in calls if len(json.dumps(each)) <= _LARGEST_CALL]
    return json.dumps(sorted(small, key=lambda call: not call["upstream"])[:_CALLS])


def _rests_on_lock(found: tuple[Finding, ...] | None) -> bool:
    """Whether something wasn't tried here, where everything shall be."""
    return sample.everything() and any(each.day for each in found or ())


class Work:
    """The checks of some pages of a book."""

    def __init__(self, root: Path, book: list[Page], chosen: list[Page]) -> None:
        self._chosen = chosen
        self._book = settings.load(root)
        self.pages = len(chosen)
        self.is_partial = len(chosen) < len(book)
        self._problems: list[str] = []
        self.found = Results.of_today(_date(root))
        known, keys = results.load(root), Keys(root)
        self._keys = {page.shown: keys.of_page(page) for page in chosen or book}
        for page in book:
            record = known.pages.get(page.shown) if known else None
            if known and record and page.shown not in self._keys:
                # It stays on record, and a later run asks whether it is true.
                for name in known.programs.keys() & {*record.programs}:
                    self.found.programs.setdefault(name, known.programs[name])
            else:
                record = self._record(known, page, keys)
            self.found.pages[page.shown] = record

    def _record(self, known: Results | None, page: Page, keys: Keys) -> Record:
        """What is known of a page, and of its programs, as they are now."""
        record = Record.of(page, page.root)
        for name in record.programs:
            if self._is_there(name, page):
                program = Program.of(name, page.root, keys.of_program(name))
                self.found.programs[name] = self._still(known, program, name)
        if known and page.shown in self._keys:
            record.checks |= self._still_said(known, page.shown)
        return record

    @staticmethod
    def _still(known: Results | None, program: Program, name: str) -> Program:
        """What is known of a program, if it is as it was."""
        its = known.programs.get(name) if known else None
        is_current = its and its.key == program.key and not _rests_on_lock(its.rules)
        return its if its and is_current else program

    def _still_said(self, known: Results, page: str) -> dict[str, Checked]:
        """What still holds of a page; of chosen pages, what failed is checked again."""
        chosen = {page.shown for page in self._chosen}
        record = known.pages.get(page)
        return {
            check: said
            for check, said in (record.checks if record else {}).items()
            if said.key == self._keys[page].get(check)
            and not _rests_on_lock(said.findings)
            and not (
                page in chosen and any(each.state == "failed" for each in said.findings)
            )
        }

    def _is_there(self, name: str, page: Page) -> bool:
        there = page.snippet(name) is not None
        if not there and page in self._chosen:
            where = page.where(page.text.index(f'"{name}'))
            self._problems.append(
                f"{where}: embeds {name}, which is not in {self._book.snippets}/"
            )
        return there

    def unreviewed(self) -> Iterator[Finding]:
        """Sentences that were changed since they were reviewed with their tests, and
        tests that name no sentence: told at once, without a run."""
        for page in self._chosen:
            if file_of(page).exists() and not page.is_generated:
                check = StatementsOf(page)
                yield from check.problems or check.unreviewed()

    def unproven(self) -> Iterator[str]:
        """Pages of the book of which it is not known that they hold, and why."""
        for page, record in self.found.pages.items():
            failed = [
                each for each in self.found.findings(record) if each.state == "failed"
            ]
            if failed:
                yield from map(str, failed)
            elif differ := [
                f"{page}: {self._book.snippets}/{name} did not print its trace; run:"
                f" python -m tracebook check {self._book.snippets}/{name}"
                for name, program in self.found.programs_of(record).items()
                if program.rules is not None and not program.ran
            ]:
                yield from differ
            elif not self.found.is_whole(record):
                yield f"{page}: not checked as it is now"

    def tasks(self) -> list[Task]:
        """What is still to be found."""
        programs = sorted(
            f"{self._book.snippets}/{name}"
            for name, program in self.found.programs_of(*self._records).items()
            if not program.holds
        )
        return [Task(PROGRAMS, tuple(programs))] * bool(programs) + [
            Task(check, (page.shown,))
            for check in CHECKS
            if check != AGREEMENT
            for page in self._chosen
            if check not in self.found.pages[page.shown].checks
        ]

    def comparisons(self) -> list[Task]:
        """What is to be found of the pages whose programs ran, when all is saved."""
        return [
            Task(AGREEMENT, (page.shown,))
            for page in self._chosen
            if AGREEMENT not in (record := self.found.pages[page.shown]).checks
            and all(
                each.rules is not None
                for each in self.found.programs_of(record).values()
            )
        ]

    def done(self, task: Task, answer: Answer | BaseException) -> None:
        """Take in what was found, or what a process ended with."""
        if isinstance(answer, BaseException):
            self._did_not_end(task, answer)
            return
        found = defaultdict(list)
        for each in answer:
            found[each.page].append(each)
            known = each.kind in _OF_RUNS or results.understood([each])
            if each.page not in task.things or not known:
                self._problems.append(
                    f"truth: {task.check} answers what it was not asked: {each!r}"
                )
                return
        for thing in task.things:
            self._know(task.check, thing, tuple(found[thing]))

    def _know(self, check: str, thing: str, found: tuple[Finding, ...]) -> None:
        if check in CHECKS:
            key = self._keys[thing][check]
            self.found.pages[thing].checks[check] = Checked(key, found)
            return
        name = thing.removeprefix(f"{self._book.snippets}/")
        traces = [each for each in found if each.kind == "trace"]
        self.found.programs[name] = replace(
            self.found.programs[name],
            ran=not traces,
            rules=tuple(each for each in found if each.kind not in _OF_RUNS),
            names="".join(each.calls for each in found if each.kind == "names"),
        )
        self._problems += [f"{each.where}: {each.how}" for each in traces]

    def _did_not_end(self, task: Task, error: BaseException) -> None:
        said = "".join(traceback.format_exception(error)).strip().splitlines()
        self._problems.append(
            "\n    ".join(
                [
                    f"truth: {task.check} did not come to its end,"
                    f" on {', '.join(task.things)}",
                    *said[-_LAST_LINES:],
                ]
            )
        )

    def failures(self) -> list[str]:
        """What does not hold, in the order of pages and lines."""
        failed = [
            each
            for each in self.found.findings(*self._records)
            if each.state == "failed"
        ]
        return self._problems + [
            str(each) for each in sorted(failed, key=lambda each: _place(each.where))
        ]

    @property
    def _records(self) -> list[Record]:
        return [self.found.pages[page.shown] for page in self._chosen]

    def summary(self) -> Iterator[str]:
        programs = self.found.programs_of(*self._records).values()
        ran = [each for each in programs if each.ran]
        yield (
            f"programs: {len(ran)} run, {len(ran)} traces compared,"
            f" {sum(bool(each.raises) for each in ran)} errors reproduced,"
            f" {len(programs) - len(ran)} failed"
        )
        counts = results.tally(self.found.findings(*self._records))
        for kind, states in counts.items():
            yield f"{kind}s: {results.states(states)}, {states['failed']} failed"


def run(
    tasks: list[Task],
    root: Path,
    workers: int,
    done: Done,
    *,
    ask: Ask = ask,
    tell: Callable[[str], None] = lambda line: None,
    time_limit: float = TIME_LIMIT,
) -> None:
    """Have all tasks done, report each as it ends, and tell how far the work is."""
    with tempfile.TemporaryDirectory(
        dir=scratch.folder(), ignore_cleanup_errors=True
    ) as folder:
        so_far = _Progress(tasks, tell)

        def turn(*parts: tuple[list[Task], int]) -> dict[Task, BaseException]:
            """Have tasks done by so many workers; those whose pool broke are left."""
            left: dict[Task, BaseException] = {}
            with ExitStack() as pools:
                pending = {}
                for part, at_a_time in parts:
                    pool = pools.enter_context(_Pool(at_a_time, folder))
                    for task in part:
                        limit = None if task.waits else time_limit
                        try:
                            future = pool.submit(_ask, ask, task, root, limit)
                            pending[future] = task
                        except BrokenProcessPool as error:  # already
                            left[task] = error
                while pending:
                    so_far.tell()
                    for future in wait(pending, 1, FIRST_COMPLETED).done:
                        task, ended = pending.pop(future), future.exception()
                        if isinstance(ended, BrokenProcessPool):
                            left[task] = ended
                        else:
                            done(task, ended or future.result())
                            so_far.ended(task)
            return left

        waiting = [task for task in tasks if task.waits]
        others = [task for task in tasks if not task.waits]
        left = turn((waiting, 1), (others, workers))
        while left:
            # A pool that broke does not tell on what; one worker, in order, does.
            left = turn(([task for task in tasks if task in left], 1))
            if culprit := next((task for task in tasks if task in left), None):
                done(culprit, left.pop(culprit))


class _Pool(Pool):
    """Worker processes; an exception leaves nothing of them and what they started."""

    def __init__(self, workers: int, folder: str) -> None:
        super().__init__(workers, get_context("spawn"), _begin, (folder,))

    def __exit__(self, kind: type | None, *_: object) -> None:
        if kind:
            workers = active_children()
            started: list[psutil.Process] = []
            for worker in workers:
                with suppress(psutil.NoSuchProcess):
                    started += psutil.Process(worker.pid).children(recursive=True)
                worker.kill()
            for each in started:
                with suppress(psutil.NoSuchProcess):
                    each.kill()
            psutil.wait_procs(started, 5)
            # Not by psutil, which would take the exit code away: the pool, which never
            # sees it then, waits forever.
            for worker in workers:
                worker.join(5)
        self.shutdown(cancel_futures=True)


def _begin(folder: str) -> None:
    """In a worker: who started it ends it, also on Ctrl-C, and what it leaves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TMPDIR"] = folder
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _ask(ask: Ask, task: Task, root: Path, time_limit: float | None) -> Answer:
    if time_limit:
        faulthandler.dump_traceback_later(time_limit * _BY_THE_CLOCK, exit=True)
        _limit_work(time_limit)
    try:
        return ask(task, root)
    finally:
        faulthandler.cancel_dump_traceback_later()
        _limit_work(0)


def _limit_work(seconds: float) -> None:
    """End this process when it has worked so long; 0 for no limit any more."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


class _Progress:
    """Tells how far the work is, with a pause from one line to the next."""

    def __init__(self, tasks: list[Task], tell: Callable[[str], None]) -> None:
        self._tell, self._told = tell, -math.inf
        self._ended: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        for task in tasks:
            self._all[task.check] += len(task.things)

    def ended(self, task: Task) -> None:
        self._ended[task.check] += len(task.things)

    def tell(self) -> None:
        if time.monotonic() - self._told >= progress.PAUSE:
            self._told = time.monotonic()
            said = (
                f"{each} {self._ended[each]} of {n}" for each, n in self._all.items()
            )
            self._tell(f"truth: {', '.join(said)}")


def _place(where: str) -> tuple[str, int]:
    file, _, line = where.rpartition(":")
    return (file, int(line)) if line.isdecimal() else (where, 0)


def _date(root: Path) -> str:
    """The day of the commit: the same for two builds of it."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        with suppress(OSError):
            seconds = subprocess.run(
                ["git", "log", "-1", "--format=%ct"],
                cwd=root,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ).stdout.strip()
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(float(seconds or time.time())))
    except (ValueError, OverflowError):
        raise SettingsError(f"SOURCE_DATE_EPOCH={seconds!r} is no time") from None
