"""Run programs: each in a fresh process and folder, within limits."""

import contextlib
import json
import multiprocessing
import multiprocessing.connection
import multiprocessing.forkserver
import os
import re
import secrets
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from . import child, environment, leftovers
from .output import Printed, ended, without_noise
from .settings import Settings, SettingsError
from .snippet import Snippet

_POLL_SECONDS = 0.05
_LOST, _LOST_SECONDS = 255, 1
"""The exit code of a child whose fork server ends, and how long that may take."""
_PATIENCE = 10
"""A program's limit by the clock is so many times its limit of processor time."""
_REMOVED = "removed the folder that it works in"
# All runners of a process share the fork server and its children. One thread at a time
# starts a child, asks for its exit code or ends it, or exit codes are lost.
_LOCK = threading.RLock()
_RUNNING: set[int] = set()


@dataclass
class Run:
    """The result of one run."""

    output: str = ""
    """What the program printed, without noise, and the message that ended it."""
    problem: str | None = None
    """Why the run failed, or None."""
    line: int = 1
    """Line of the file at which it failed."""
    figures: dict[str, bytes] = field(default_factory=dict)
    printed: list[Printed] = field(default_factory=list)
    observed: Any = None
    """The result of the observer, if there is one."""


@dataclass(eq=False)
class _Job:
    snippet: Snippet
    process: BaseProcess
    folder: Path
    secret: str
    """Part of the child's report, which a program could write itself."""
    patience: float
    deadline: float
    server: int
    """The fork server's process, or 0."""


class _SharedError(Exception):
    """Harm that one program did to all that run beside it."""


class Runner:
    """Runs programs, and keeps the process warm that they are forked from."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.jobs = settings.workers  # programs at a time
        self._running: list[_Job] = []
        self._context = multiprocessing.get_context(settings.start_method)
        self._forks = settings.start_method == "forkserver"
        if self._forks:
            observer = [settings.observer] * bool(settings.observer)
            preload = [f"{__package__}.forked_from", *settings.preload, *observer]
            self._context.set_forkserver_preload(preload)
        self._scratch = tempfile.TemporaryDirectory(
            dir=leftovers.scratch_folder(), ignore_cleanup_errors=True
        )

    def close(self) -> None:
        """Remove what the runs left."""
        self._scratch.cleanup()

    def run(
        self,
        snippets: list[Snippet],
        done: Callable[[Snippet, Run], None],
        progress: Callable[[int, int], None] = lambda ended, total: None,
    ) -> None:
        """Run programs, several at a time.

        Where one harms those beside it, each of them runs again alone, which shows
        which one that is.

        Args:
            snippets: the programs.
            done: called with each program and its run.
            progress: called often, with the numbers of ended programs and of all.
        """
        waiting, again, jobs = list(reversed(snippets)), list[Snippet](), self.jobs
        try:
            while waiting or self._running or again:
                if not (waiting or self._running):
                    waiting, again, jobs = again[::-1], [], 1
                while waiting and len(self._running) < jobs:
                    self._running.append(self._start(waiting.pop()))
                sentinels = [job.process.sentinel for job in self._running]
                multiprocessing.connection.wait(sentinels, _POLL_SECONDS)
                for job in self._running.copy():
                    try:
                        run = self._result(job)
                    except _SharedError as harm:
                        run = Run(problem=str(harm))
                        if jobs > 1:
                            again.append(job.snippet)
                    if run:
                        self._running.remove(job)
                        shutil.rmtree(job.folder, ignore_errors=True)
                        if job.snippet not in again:
                            done(job.snippet, run)
                left = len(waiting) + len(self._running) + len(again)
                progress(len(snippets) - left, len(snippets))
        finally:  # after an error or an interruption nothing runs on
            while self._running:
                self._kill(self._running.pop())

    def _start(self, snippet: Snippet, is_retry: bool = False) -> _Job:
        os.makedirs(self._scratch.name, exist_ok=True)  # a program may have removed it
        folder = Path(tempfile.mkdtemp(dir=self._scratch.name))
        (folder / "work").mkdir()
        (folder / "tmp").mkdir()
        (folder / "output").touch()
        secret = secrets.token_hex()
        process: BaseProcess = self._context.Process(  # type: ignore[attr-defined]
            target=child.run, args=(snippet, self._settings, folder, secret)
        )
        try:
            with _LOCK, environment.of_programs(self._settings):
                if self._forks and _has_ended(_server()):
                    _start_server()
                process.start()
                _RUNNING.add(process.ident or 0)
        except (EOFError, OSError) as error:
            # Another program may have ended the fork server.
            if not is_retry and self._forks and _has_ended(_server(), _LOST_SECONDS):
                return self._start(snippet, is_retry=True)
            raise SettingsError(
                f"the process to fork from ended before {snippet.label} began: {error};"
                f" maybe of a limit (see ulimit -a), or while it imported what"
                f" 'preload' names: {', '.join(self._settings.preload)}"
            ) from error
        patience = _PATIENCE * self._settings.time_limit * (len(snippet.variants) or 1)
        deadline, server = time.monotonic() + patience, _server() if self._forks else 0
        return _Job(snippet, process, folder, secret, patience, deadline, server)

    def _result(self, job: _Job) -> Run | None:
        """Return the run of a job, or None while it goes on.

        Raises:
            _SharedError: another job may be to blame for how it ended.
        """
        try:
            with _LOCK:
                is_running = job.process.exitcode is None
            problem, most = None, self._settings.output_limit
            if (job.folder / "output").stat().st_size > most:
                problem = f"printed more than {most} bytes"
            elif is_running:
                if time.monotonic() < job.deadline:
                    return None
                problem = f"did not finish within {job.patience:g} seconds"
            self._kill(job)
            if not shutil.disk_usage(job.folder).free:  # what it wrote may be lost
                disk = tempfile.gettempdir()
                raise _SharedError(f"ended while the disk was full, below {disk}")
            patience = _LOST_SECONDS if job.process.exitcode == _LOST else 0
            if job.server and _has_ended(job.server, patience):
                raise _SharedError("ended the process that programs are forked from")
            if not (job.folder / "work").is_dir():
                raise _SharedError(_REMOVED)
            return self._read(job, problem)
        except FileNotFoundError:
            self._kill(job)
            raise _SharedError(_REMOVED) from None
        except OSError as error:
            return Run(problem=f"left files that can't be read: {error.strerror}")

    def _read(self, job: _Job, problem: str | None) -> Run:
        """Return the run of a job that ended."""
        settings, code = self._settings, job.process.exitcode or 0
        with (job.folder / "output").open("rb") as stream:
            text = stream.read(settings.output_limit).decode("utf-8", "surrogateescape")
        output = ended(without_noise(text, settings.noise_pattern))
        path = job.folder / "report.json"
        if code or not path.is_file():
            return Run(output, problem or _how_it_died(code, settings.time_limit))
        try:
            report = json.loads(path.read_text("utf-8"))
            if report["secret"] != job.secret:
                raise ValueError
        except (ValueError, LookupError, TypeError, RecursionError):
            return Run(output, f"wrote {path.name} in the place of the engine's")
        if missing := ", ".join(report["missing"]):
            raise SettingsError(f"preload: {missing} could not be imported")
        figures, litter = _collect(job, settings.file_limit)
        message, line = ended(report["message"]), report["line"]
        problem = problem or report["problem"] or litter
        failed_at = job.snippet.line(line)
        printed = [*report["printed"], (message, line)]
        observed = report.get("observed")
        return Run(output + message, problem, failed_at, figures, printed, observed)

    def _kill(self, job: _Job) -> None:
        """End a job and whatever it left."""
        with _LOCK:
            pid = job.process.ident or 0
            job.process.kill()
            job.process.join()
            with contextlib.suppress(AttributeError, OSError):  # no groups, no group
                os.killpg(pid, signal.SIGKILL)
            _RUNNING.discard(pid)
            if self._forks:
                leftovers.kill_children(_server(), _RUNNING)


def _server() -> int:
    """Return the fork server's process, or 0."""
    return vars(multiprocessing.forkserver._forkserver)["_forkserver_pid"] or 0


def _has_ended(pid: int, patience: float = 0) -> bool:
    """Return whether a child of this process, or none, ends within so many seconds."""
    deadline, kinds = time.monotonic() + patience, os.WEXITED | os.WNOHANG | os.WNOWAIT
    with contextlib.suppress(ChildProcessError):  # another call has seen its end
        while pid and not os.waitid(os.P_PID, pid, kinds):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
    return True


def _start_server() -> None:
    """Start the fork server in a thread that lasts, because it ends with its thread."""
    started = Future[None]()

    def start_and_stay() -> None:
        try:
            started.set_result(multiprocessing.forkserver.ensure_running())
        except OSError as error:  # of its socket, whose path may be too long
            started.set_exception(OSError(f"{error}, below {tempfile.gettempdir()}"))
        server = _server()
        while not _has_ended(server, _POLL_SECONDS):
            os.kill(server, signal.SIGCONT)  # a program may have stopped it

    threading.Thread(target=start_and_stay, daemon=True).start()
    started.result()


def _collect(job: _Job, limit: int) -> tuple[dict[str, bytes], str | None]:
    """Return the figures of a program, and what is wrong with its files."""
    work, stem = job.folder / "work", job.snippet.path.stem
    folder = r"\d+/" if job.snippet.variants else ""  # of each variant
    figure = re.compile(rf"{folder}{re.escape(stem)}(-[\w-]+)?\.svg")
    figures: dict[str, bytes] = {}
    litter = []
    for path in sorted(work.rglob("*")):
        name = path.relative_to(work).as_posix()
        if path.is_dir() and not path.is_symlink():
            continue
        if not figure.fullmatch(name) or path.is_symlink() or not path.is_file():
            litter.append(name)
        elif path.stat().st_size > limit:
            return figures, f"{name} is larger than {limit} bytes"
        else:
            figures[name] = path.read_bytes()
    named = f"only figures named {stem}.svg or {stem}-….svg are published"
    problem = f"left files behind: {', '.join(litter)}; {named}"
    return figures, problem if litter else None


def _how_it_died(exit_code: int, time_limit: float) -> str:
    if exit_code >= 0:
        return f"ended before its last line, with exit code {exit_code}"
    names = {int(number): number.name for number in signal.Signals}
    name = names.get(-exit_code, f"signal {-exit_code}")  # some have no name
    if name == "SIGXCPU":
        unit = "second" if time_limit == 1 else "seconds"
        return f"used more than {time_limit:g} {unit} of the processor"
    return f"was killed by {name}"
