"""Run snippets: one fresh process, working folder and time limit for each."""

import contextlib
import json
import multiprocessing
import multiprocessing.connection
import multiprocessing.forkserver
import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from . import child, orphans, scratch
from .output import ended, lines_of, without_noise
from .settings import Settings, SettingsError
from .snippet import Snippet

_POLL_SECONDS = 0.05
_LOST, _LOST_SECONDS = 255, 1
"""The exit code where nobody was left to tell it, and how long that one may take to
end, after its pipes have."""
_PATIENCE = 10
"""A program's limit by the clock is so many times its limit of work."""

# All runners of a process share what it forks from, and its children. One thread
# at a time starts, asks after and ends any, or exit codes are lost now and then.
_LOCK = threading.RLock()
_RUNNING: set[int] = set()


@dataclass
class Run:
    """What one run of a snippet gave."""

    output: str = ""
    """What it printed, noise aside, and the message that ended it."""
    problem: str | None = None
    """Why the run does not count, or None."""
    line: int = 1
    """Line of the file at which the problem showed."""
    figures: dict[str, bytes] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    """For each line of the trace the line of the text that printed it, or 0."""
    observed: Any = None
    """What the observer told, if there is one."""


@dataclass(eq=False)
class _Job:
    snippet: Snippet
    process: BaseProcess
    scratch: Path
    deadline: float
    server: int
    """The process that it was forked from, or 0."""


class _SharedError(Exception):
    """What one program did to all that run beside it; its text says what."""


class Runner:
    """Runs snippets; keeps the process that they are forked from warm."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.jobs = settings.workers
        """Snippets at a time."""
        self._running: list[_Job] = []
        self._context = multiprocessing.get_context(settings.start_method)
        self._forks = settings.start_method == "forkserver"
        if self._forks:
            self._context.set_forkserver_preload(
                [f"{__package__}.forked_from", *settings.preload]
                + [settings.observer] * bool(settings.observer)
            )
        self._scratch = tempfile.TemporaryDirectory(
            dir=scratch.folder(), ignore_cleanup_errors=True
        )

    def close(self) -> None:
        """Remove every scratch folder."""
        self._scratch.cleanup()

    def run(
        self,
        snippets: list[Snippet],
        done: Callable[[Snippet, Run], None],
        progress: Callable[[int, int], None] = lambda ended, total: None,
    ) -> None:
        """Run all ``snippets``, report each as it ends, and often how many have.

        Where one harms those beside it, each runs again alone, which shows which one
        that is.
        """
        waiting, again = list(reversed(snippets)), list[Snippet]()
        jobs = self.jobs
        try:
            while waiting or self._running or again:
                if not (waiting or self._running):
                    waiting, again, jobs = again[::-1], [], 1
                while waiting and len(self._running) < jobs:
                    self._running.append(self._start(waiting.pop()))
                multiprocessing.connection.wait(
                    [job.process.sentinel for job in self._running], _POLL_SECONDS
                )
                for job in self._running.copy():
                    try:
                        run = self._look_at(job)
                    except _SharedError as harm:
                        run = Run(problem=str(harm))
                        if jobs > 1:
                            again.append(job.snippet)
                    if run:
                        self._running.remove(job)
                        shutil.rmtree(job.scratch, ignore_errors=True)
                        if job.snippet not in again:
                            done(job.snippet, run)
                left = len(waiting) + len(self._running) + len(again)
                progress(len(snippets) - left, len(snippets))
        finally:  # after an error or an interruption nothing runs on
            while self._running:
                self._kill(self._running.pop())

    def _start(self, snippet: Snippet, is_again: bool = False) -> _Job:
        os.makedirs(self._scratch.name, exist_ok=True)  # if a program removed it
        its = Path(tempfile.mkdtemp(dir=self._scratch.name))
        for folder in ("work", "tmp"):
            (its / folder).mkdir()
        (its / "output").touch()
        process: BaseProcess = self._context.Process(  # type: ignore[attr-defined]
            target=child.run, args=(snippet, self._settings, its)
        )
        try:
            with _LOCK:
                if self._forks and (not _server() or _has_ended(_server())):
                    _start_server()
                process.start()
                _RUNNING.add(process.ident or 0)
        except (EOFError, OSError) as error:
            # A program that runs may have ended what is forked from.
            if not is_again and self._forks and _has_ended(_server(), _LOST_SECONDS):
                return self._start(snippet, is_again=True)
            raise SettingsError(
                "preload: the process to fork from ended, maybe while it imported"
                f" {', '.join(self._settings.preload)}, or began {snippet.label}:"
                f" {error}"
            ) from error
        programs = len(snippet.variants) or 1
        deadline = time.monotonic() + _PATIENCE * self._settings.time_limit * programs
        return _Job(snippet, process, its, deadline, _server() if self._forks else 0)

    def _look_at(self, job: _Job) -> Run | None:
        """The outcome of ``job``, or None while it runs.

        Raises _SharedError where it may be another one's.
        """
        try:
            return self._outcome(job)
        except FileNotFoundError:
            self._kill(job)
            raise _SharedError("removed the folder that it works in") from None

    def _outcome(self, job: _Job) -> Run | None:
        output, report = job.scratch / "output", job.scratch / "report.json"
        size, time_limit = self._settings.output_limit, self._settings.time_limit
        problem = None
        with _LOCK:
            runs = job.process.exitcode is None
        if output.stat().st_size > size:
            problem = f"printed more than {size} bytes"
        elif runs:
            if time.monotonic() < job.deadline:
                return None
            patience = _PATIENCE * time_limit * (len(job.snippet.variants) or 1)
            problem = f"did not finish within {patience:g} seconds"
        self._kill(job)
        code = job.process.exitcode or 0
        if not shutil.disk_usage(job.scratch).free:  # what it wrote may be lost
            raise _SharedError(
                f"ended while the disk was full, below {tempfile.gettempdir()}"
            )
        lost = code == _LOST
        if job.server and _has_ended(job.server, _LOST_SECONDS if lost else 0):
            raise _SharedError("ended the process that programs are forked from")
        if not (job.scratch / "work").is_dir():
            raise FileNotFoundError
        with output.open("rb") as stream:
            text = stream.read(size).decode("utf-8", "surrogateescape")
        trace = ended(without_noise(text, self._settings.noise_pattern))
        if code or not report.is_file():
            return Run(trace, problem or _how_it_died(code, time_limit))
        try:
            said = json.loads(report.read_text("utf-8"))
            if said["missing"]:
                raise SettingsError(
                    f"preload: {', '.join(said['missing'])} could not be imported"
                )
            figures, litter = _collect(job, self._settings.file_limit)
            message = ended(said["message"])
            printed = [*said["printed"], (message, said["line"])]
            return Run(
                trace + message,
                problem or said["problem"] or litter,
                job.snippet.line(said["line"]),
                figures,
                lines_of(trace + message, printed, job.snippet.text),
                said.get("observed"),
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return Run(trace, f"wrote {report.name} in the place of the engine's")

    def _kill(self, job: _Job) -> None:
        """End ``job`` and whatever it left."""
        with _LOCK:
            pid = job.process.ident or 0
            job.process.kill()
            job.process.join()
            with contextlib.suppress(AttributeError, OSError):  # no groups, no group
                os.killpg(pid, signal.SIGKILL)
            _RUNNING.discard(pid)
            if self._forks:
                orphans.kill(_server(), _RUNNING)


def _server() -> int:
    """The process that this one forks from, or 0."""
    return vars(multiprocessing.forkserver._forkserver)["_forkserver_pid"] or 0


def _has_ended(pid: int, patience: float = 0) -> bool:
    """Whether a child of this process ends within so many seconds; how, is not said."""
    deadline = time.monotonic() + patience
    with contextlib.suppress(ChildProcessError):  # someone has asked how
        while not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
    return True


def _start_server() -> None:
    """Start what is forked from in a thread that lasts, for it ends with that."""
    started = threading.Event()

    def start_and_stay() -> None:
        multiprocessing.forkserver.ensure_running()
        started.set()
        threading.Event().wait()

    threading.Thread(target=start_and_stay, daemon=True).start()
    started.wait()


def _collect(job: _Job, limit: int) -> tuple[dict[str, bytes], str | None]:
    """What a program drew for its page, and what is wrong with its files."""
    work, snippet = job.scratch / "work", job.snippet
    stem = snippet.path.stem
    folder = r"\d+/" if snippet.variants else ""  # of each variant
    own = re.compile(rf"{folder}{re.escape(stem)}(-[\w-]+)?\.svg")
    figures: dict[str, bytes] = {}
    strangers = []
    for path in sorted(work.rglob("*")):
        name = path.relative_to(work).as_posix()
        if path.is_dir() and not path.is_symlink():
            continue
        is_meant = own.fullmatch(name)
        if not is_meant or path.is_symlink() or not path.is_file():
            strangers.append(name)
        elif path.stat().st_size > limit:
            return figures, f"{name} is larger than {limit} bytes"
        else:
            figures[name] = path.read_bytes()
    if strangers:
        return figures, (
            f"left files behind: {', '.join(strangers)}; only figures"
            f" named {stem}.svg or {stem}-….svg are published"
        )
    return figures, None


def _how_it_died(exit_code: int, time_limit: float) -> str:
    if exit_code >= 0:
        return f"ended before its last line, with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:  # those for real-time programs
        name = f"signal {-exit_code}"
    if name == "SIGXCPU":
        unit = "second" if time_limit == 1 else "seconds"
        return f"used more than {time_limit:g} {unit} of the processor"
    return f"was killed by {name}"
