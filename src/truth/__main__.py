"""Check what the pages claim: ``python -m truth [--root ROOT] [PAGE…]``.

Formulas, rules, numbers, names, quotes and error messages, and the traces that
they rest on. What was checked before, and has not changed since, is not checked
again. Exit codes: 0 all holds; 1 something does not hold, or a check did not
come to its end; 2 usage.
"""

import argparse
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tracebook import settings

from . import results
from .finding import Finding
from .ledger import page as ledger
from .page import Page, all_pages
from .results import CHECKS, Checked, Program, Record, Results

_SPLIT = ("formulas",)
"""Checks that are worth a process for each core."""
_TIME_LIMIT = 600.0
_POLL_SECONDS = 0.02
_PROBLEM = re.compile(r"^snippets/(?P<name>\S+)\.(?:py|out):\d+: ", re.MULTILINE)


def main() -> int:
    parser = _parser()
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    if arguments.check:
        return _one_check(arguments, root)
    # A polite kill unwinds like Ctrl-C does, so that nothing is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    book = all_pages(root)
    wanted = {path.resolve() for path in arguments.pages}
    chosen = [page for page in book if not wanted or page.path in wanted]
    if strangers := wanted - {page.path for page in chosen}:
        parser.error(f"no page of the book: {', '.join(map(str, strangers))}")
    try:
        return _check(root, book, chosen)
    except settings.SettingsError as error:
        print(f"truth: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m truth", description=__doc__.partition(":")[0]
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        help="the folder of pyproject.toml (default: here)",
    )
    parser.add_argument(
        "pages",
        metavar="PAGE",
        nargs="*",
        type=Path,
        help="pages to check (default: the whole book)",
    )
    # What the command starts for each check, in a process of its own.
    parser.add_argument("--check", help=argparse.SUPPRESS)
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    return parser


def _one_check(arguments: argparse.Namespace, root: Path) -> int:
    check = importlib.import_module(f"truth.{results.MODULES[arguments.check]}")
    if arguments.check == "rules":
        findings = _rules(check, arguments.pages, root)
    else:
        findings = check.check([Page(path, root) for path in arguments.pages], root)
    arguments.answer.write_text(json.dumps(list(map(asdict, findings))), "utf-8")
    return 0


def _rules(check, paths: list[Path], root: Path) -> list[Finding]:
    """Of the rules in programs, whichever pages show them."""
    programs = [check.load(path, root / results.SNIPPETS) for path in paths]
    shown = [path.relative_to(root).as_posix() for path in paths]
    return [
        Finding(
            "rule", each.state, program, f"{program}:{each.line}", each.what, each.how
        )
        for program, verdicts in zip(shown, check.judge(programs, root))
        for each in verdicts
    ]


def _check(root: Path, book: list[Page], chosen: list[Page]) -> int:
    began = time.monotonic()
    cores = settings.load(root).workers
    work = _Work(root, book, chosen)
    for job in _run(work.jobs(cores), cores):
        work.done(job)
    results.save(work.found, root)
    ledger.write(root)
    failures = work.failures()
    for each in failures:
        print(each, file=sys.stderr)
    for line in work.summary():
        print(line)
    print(
        f"{len(chosen)} pages in {time.monotonic() - began:.0f} s,"
        f" {len(failures)} problems"
    )
    return 1 if failures else 0


@dataclass
class _Job:
    """A process that checks some pages or programs."""

    name: str
    things: list[str]
    command: list[str]
    process: subprocess.Popen | None = None
    folder: tempfile.TemporaryDirectory = field(
        default_factory=lambda: tempfile.TemporaryDirectory(prefix="truth-")
    )
    began: float = 0.0
    said: str = ""

    @property
    def answer(self) -> Path:
        return Path(self.folder.name, "answer.json")

    def start(self) -> None:
        self.began = time.monotonic()
        with Path(self.folder.name, "said").open("wb") as said:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    def has_ended(self) -> bool:
        if self.process.poll() is None:
            if time.monotonic() < self.began + _TIME_LIMIT:
                return False
            self.kill()
            print(
                f"truth: {self.name} took more than {_TIME_LIMIT:g} s", file=sys.stderr
            )
        self.said = Path(self.folder.name, "said").read_text("utf-8", "replace")
        return True

    def kill(self) -> None:
        """End it and all that it started."""
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait()


def _run(jobs: list[_Job], at_a_time: int) -> Iterator[_Job]:
    """Run jobs, and yield each as it ends."""
    waiting, running = list(reversed(jobs)), []
    try:
        while waiting or running:
            while waiting and len(running) < at_a_time:
                running.append(waiting.pop())
                running[-1].start()
            time.sleep(_POLL_SECONDS)
            for job in [job for job in running if job.has_ended()]:
                running.remove(job)
                yield job
    finally:
        for job in running:
            job.kill()
        for job in jobs:
            job.folder.cleanup()


class _Work:
    """What is known already, what is to be found, and what was found."""

    def __init__(self, root: Path, book: list[Page], chosen: list[Page]) -> None:
        self._root, self._chosen = root, chosen
        self._tools = results.tools(root)
        self._problems: list[str] = []
        self.found = Results.of_today(_date(root))
        self.found.pages = {page.shown: Record.of(page, root) for page in book}
        self._keys = {
            (name, page.shown): results.key(name, page, root, self._tools)
            for name in CHECKS
            for page in book
        }
        shown = {page.shown for page in chosen}
        for page in book:
            for name in self.found.pages[page.shown].programs:
                if self._is_there(name, page) and name not in self.found.programs:
                    self.found.programs[name] = Program.of(
                        name, root, results.program_key(name, root, self._tools)
                    )
        if known := results.load(root):
            self._take_over(known, shown)
        self._to_run = sorted(
            name
            for name, program in self.found.programs_of(
                *(self.found.pages[page] for page in shown)
            ).items()
            if not program.holds
        )
        """Programs of the chosen pages that are not known to hold."""

    def _take_over(self, known: Results, chosen: set[str]) -> None:
        """What still holds; what failed is checked again where it is asked for."""
        for name, program in self.found.programs.items():
            if name in known.programs and known.programs[name].key == program.key:
                self.found.programs[name] = known.programs[name]
        for (name, page), key in self._keys.items():
            said = known.pages[page].checks.get(name) if page in known.pages else None
            if (
                said
                and said.key == key
                and (
                    page not in chosen
                    or not any(each.state == "failed" for each in said.findings)
                )
            ):
                self.found.pages[page].checks[name] = said

    def _is_there(self, name: str, page: Page) -> bool:
        there = (self._root / results.SNIPPETS / name).is_file()
        if not there and page in self._chosen:
            where = page.where(page.text.index(f'"{name}'))
            self._problems.append(
                f"{where}: embeds {name}, which is not in {results.SNIPPETS}/"
            )
        return there

    def jobs(self, cores: int) -> list[_Job]:
        """What is still to be found."""
        jobs = []
        if programs := [f"{results.SNIPPETS}/{name}" for name in self._to_run]:
            jobs.append(self._check_job("rules", programs))
            jobs.append(
                _Job(
                    "programs",
                    self._to_run,
                    [
                        sys.executable,
                        "-m",
                        "tracebook",
                        "--root",
                        str(self._root),
                        "check",
                        *(str(self._root / program) for program in programs),
                    ],
                )
            )
        for name in CHECKS:
            pages = [
                page.shown
                for page in self._chosen
                if name not in self.found.pages[page.shown].checks
            ]
            parts = cores if name in _SPLIT else 1
            jobs += [
                self._check_job(name, pages[part::parts])
                for part in range(parts)
                if pages[part::parts]
            ]
        return jobs

    def _check_job(self, name: str, files: list[str]) -> _Job:
        job = _Job(name, files, [])
        job.command = [
            sys.executable,
            "-m",
            "truth",
            "--root",
            str(self._root),
            "--check",
            name,
            "--answer",
            str(job.answer),
            *(str(self._root / file) for file in files),
        ]
        return job

    def done(self, job: _Job) -> None:
        """Take in what a job has found."""
        if job.name == "programs":
            self._take_programs(job)
        elif job.process.returncode or not job.answer.exists():
            self._did_not_end(job)
        else:
            self._take_findings(
                job,
                [Finding(**each) for each in json.loads(job.answer.read_text("utf-8"))],
            )

    def _take_findings(self, job: _Job, findings: list[Finding]) -> None:
        if strangers := [
            each
            for each in findings
            if each.page not in job.things or not results.understood([each])
        ]:
            self._problems.append(
                f"truth: {job.name} answers what it was not asked: {strangers[0]!r}"
            )
            return
        for thing in job.things:
            its = tuple(each for each in findings if each.page == thing)
            if job.name == "rules":
                self._know(thing.removeprefix(f"{results.SNIPPETS}/"), rules=its)
            else:
                self.found.pages[thing].checks[job.name] = Checked(
                    self._keys[job.name, thing], its
                )

    def _know(self, program: str, **what) -> None:
        self.found.programs[program] = replace(self.found.programs[program], **what)

    def _take_programs(self, job: _Job) -> None:
        failed = {m["name"] + ".py" for m in _PROBLEM.finditer(job.said)}
        if job.process.returncode not in (0, 1) or (
            job.process.returncode and not failed
        ):
            self._did_not_end(job)
            return
        if failed:
            self._problems.append(job.said.rstrip())
        for name in job.things:
            self._know(name, ran=name not in failed)

    def _did_not_end(self, job: _Job) -> None:
        said = job.said.strip().splitlines()[-20:]
        self._problems.append(
            "\n    ".join(
                [
                    f"truth: {job.name} did not come to its end (exit code"
                    f" {job.process.returncode}), on {', '.join(job.things)}",
                    *said,
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
            yield f"{kind}s: {ledger.states(states)}, {states['failed']} failed"


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
    return time.strftime("%Y-%m-%d", time.gmtime(float(seconds or time.time())))


if __name__ == "__main__":
    sys.exit(main())
