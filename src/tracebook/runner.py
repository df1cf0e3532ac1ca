"""Run snippets: one fresh process, working folder and time limit for each."""

import contextlib
import errno
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

from . import child, orphans
from .settings import Settings, SettingsError
from .snippet import Snippet
from .trace import ended, lines_of, without_noise

_POLL_SECONDS = 0.05
_PATIENCE = 10
"""A program's limit by the clock is so many times its limit of work."""

# All runners of a process share what it forks from, and its children. One thread
# at a time starts, asks after and ends any, or exit codes are lost now and then.
_LOCK = threading.RLock()
_RUNNING: set[int] = set()


@dataclass
class Run:
    """What one run of a snippet gave."""

    trace: str = ""
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
            prefix="tracebook-", ignore_cleanup_errors=True
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
        """Run all ``snippets``, report each as it ends, and often how many have."""
        waiting = list(reversed(snippets))
        try:
            while waiting or self._running:
                while waiting and len(self._running) < self.jobs:
                    self._running.append(self._start(waiting.pop()))
                multiprocessing.connection.wait(
                    [job.process.sentinel for job in self._running], _POLL_SECONDS
                )
                for job in self._running.copy():
                    if run := self._look_at(job):
                        self._running.remove(job)
                        shutil.rmtree(job.scratch, ignore_errors=True)
                        done(job.snippet, run)
                left = len(waiting) + len(self._running)
                progress(len(snippets) - left, len(snippets))
        finally:  # after an error or an interruption nothing runs on
            while self._running:
                self._kill(self._running.pop())

    def _start(self, snippet: Snippet) -> _Job:
        scratch = Path(tempfile.mkdtemp(dir=self._scratch.name))
        for folder in ("work", "tmp"):
            (scratch / folder).mkdir()
        (scratch / "output").touch()
        process: BaseProcess = self._context.Process(  # type: ignore[attr-defined]
            target=child.run, args=(snippet, self._settings, scratch)
        )
        try:
            with _LOCK:
                if self._forks and not _server():
                    _start_server()
                process.start()
                _RUNNING.add(process.ident or 0)
        except (EOFError, OSError) as error:
            raise SettingsError(
                "preload: the process to fork from ended, maybe while it imported"
                f" {', '.join(self._settings.preload)}: {error}"
            ) from error
        deadline = time.monotonic() + _PATIENCE * self._settings.time_limit
        return _Job(snippet, process, scratch, deadline)

    def _look_at(self, job: _Job) -> Run | None:
        """The outcome of ``job``, or None while it runs."""
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
            problem = f"did not finish within {_PATIENCE * time_limit:g} seconds"
        self._kill(job)
        if not shutil.disk_usage(job.scratch).free:  # what it wrote may be lost
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._scratch.name)
        with output.open("rb") as stream:
            text = stream.read(size).decode("utf-8", "surrogateescape")
        trace = ended(without_noise(text, self._settings.noise_pattern))
        code = job.process.exitcode or 0
        if code or not report.exists():
            return Run(trace, problem or _how_it_died(code, time_limit))
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
    own = re.compile(rf"{re.escape(stem)}(-[\w-]+)?\.svg")
    figures: dict[str, bytes] = {}
    strangers = []
    for path in sorted(work.rglob("*")):
        name = path.relative_to(work).as_posix()
        if path.is_dir() and not path.is_symlink():
            continue
        is_meant = own.fullmatch(name) or name in snippet.writes
        if not is_meant or path.is_symlink() or not path.is_file():
            strangers.append(name)
        elif path.stat().st_size > limit:
            return figures, f"{name} is larger than {limit} bytes"
        else:
            figures[name] = path.read_bytes()
    if strangers:
        return figures, (
            f"left files behind: {', '.join(strangers)}; only figures"
            f" named {stem}.svg or {stem}-….svg are published,"
            " and what '# tracebook: writes NAME' declares"
        )
    if missing := [name for name in snippet.writes if name not in figures]:
        return figures, f"declares that it writes {missing[0]}, but did not"
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
