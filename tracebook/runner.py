"""Run snippets: one fresh process, working folder and time limit for each."""

import contextlib
import importlib.util
import json
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from . import child, orphans
from .settings import Settings, SettingsError
from .snippet import Snippet
from .trace import ended, without_frames, without_noise

_POLL_SECONDS = 0.05


@dataclass
class Run:
    """What one run of a snippet gave."""

    trace: str = ""
    """What it printed, noise aside, and the message that ended it."""
    problem: str | None = None
    """Why the run does not count, or None."""
    line: int = 1
    """Line of the program at which the problem showed."""
    figures: dict[str, bytes] = field(default_factory=dict)


@dataclass
class _Job:
    snippet: Snippet
    process: multiprocessing.process.BaseProcess
    scratch: Path
    deadline: float

    @property
    def output(self) -> Path:
        return self.scratch / "output"


class Runner:
    """Runs snippets; keeps the process that they are forked from warm.

    All children are started and joined from the calling thread: two threads
    that join children of one forkserver lose exit codes now and then.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # Forking after an import is unsafe on macOS and impossible on Windows.
        safe = "forkserver" if sys.platform == "linux" else "spawn"
        method = settings.start_method or safe
        self._forks = method == "forkserver"
        self._context = multiprocessing.get_context(method)
        self._scratch = tempfile.TemporaryDirectory(
            prefix="tracebook-", ignore_cleanup_errors=True)
        self.jobs = settings.workers
        """Snippets at a time."""
        self._running: dict[int, _Job] = {}
        if self._forks:
            self._start_forkserver()

    def _start_forkserver(self) -> None:
        from multiprocessing import forkserver

        for name in self._settings.preload:
            if importlib.util.find_spec(name.partition(".")[0]) is None:
                raise SettingsError(f"preload: no module named {name!r}")
        # multiprocessing has each child import the command's module anew: what
        # that one imports shall be there, too.
        self._context.set_forkserver_preload(
            [*self._settings.preload, "argparse", *(
                f"{__package__}.{name}" for name in (
                    "child", "judge", "forked_from"))])
        # Importing logs to stderr; that is nobody's trace and nobody's news.
        log = os.open(self._server_log, os.O_WRONLY | os.O_CREAT, 0o600)
        stderr = os.dup(2)
        try:
            os.dup2(log, 2)
            forkserver.ensure_running()
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            os.close(log)

    @property
    def _server_log(self) -> Path:
        return Path(self._scratch.name, "forkserver.log")

    def close(self) -> None:
        """Kill what still runs and remove every scratch folder."""
        for job in self._running.values():
            self._kill(job)
        self._running.clear()
        self._scratch.cleanup()

    def run(self, snippets: list[Snippet],
            done: Callable[[Snippet, Run], None]) -> None:
        """Run all ``snippets`` and report each as it ends."""
        waiting = list(reversed(snippets))
        while waiting or self._running:
            while waiting and len(self._running) < self.jobs:
                job = self._start(waiting.pop())
                self._running[job.process.sentinel] = job
            multiprocessing.connection.wait(list(self._running), _POLL_SECONDS)
            for sentinel, job in list(self._running.items()):
                run = self._look_at(job)
                if run:
                    del self._running[sentinel]
                    shutil.rmtree(job.scratch, ignore_errors=True)
                    done(job.snippet, run)

    def _start(self, snippet: Snippet) -> _Job:
        scratch = Path(tempfile.mkdtemp(dir=self._scratch.name))
        for folder in ("work", "tmp"):
            (scratch / folder).mkdir()
        process = self._context.Process(target=child.run, args=(
            str(snippet.path), snippet.source, self._settings.preload,
            self._forks, self._settings.noise_pattern, str(scratch),
            [str(self._settings.root), os.getcwd()]))
        try:
            process.start()
        except (EOFError, OSError) as error:
            log = self._server_log
            said = log.read_text("utf-8", "replace") if log.exists() else ""
            raise SettingsError(
                f"preload failed: {error}\n{said[-2000:]}") from error
        deadline = time.monotonic() + self._settings.time_limit
        return _Job(snippet, process, scratch, deadline)

    def _look_at(self, job: _Job) -> Run | None:
        """The outcome of ``job``, or None while it runs."""
        size = job.output.stat().st_size if job.output.exists() else 0
        problem = None
        if size > self._settings.output_limit:
            problem = f"printed more than {self._settings.output_limit} bytes"
        elif job.process.exitcode is None:
            if time.monotonic() < job.deadline:
                return None
            limit = self._settings.time_limit
            problem = f"did not finish within {limit:g} seconds"
        self._kill(job)
        output, unreadable = self._read(job)
        problem = problem or unreadable
        report = job.scratch / "report.json"
        if not report.exists():
            return Run(output, problem or _how_it_died(job.process.exitcode))
        said = json.loads(report.read_text("utf-8"))
        if said["missing"]:
            raise SettingsError(
                f"preload: {', '.join(said['missing'])} could not be imported")
        if said["left_processes"]:
            problem = problem or "left a process behind"
        return self._judge(job, output, problem, said["exception"])

    def _judge(self, job: _Job, output: str, problem: str | None,
               exception: dict | None) -> Run:
        line = 1
        expected = job.snippet.raises
        if exception:
            output = ended(output) + without_frames(exception["message"])
            if expected not in (exception["type"], exception["qualified"]):
                line = exception["line"]
                problem = problem or "raised " + exception["message"] + (
                    f"\n(it declares that it raises {expected})"
                    if expected else "")
        elif expected:
            problem = problem or f"declares that it raises {expected}, but did not"
        figures, strangers = self._collect(job)
        if strangers:
            problem = problem or (
                f"left files behind: {', '.join(strangers)}; only figures"
                f" named {job.snippet.path.stem}.svg or"
                f" {job.snippet.path.stem}-….svg are published")
        return Run(ended(output), problem, line, figures)

    def _read(self, job: _Job) -> tuple[str, str | None]:
        """The output without noise, and why it cannot be read, if so."""
        raw = b""
        if job.output.exists():
            with job.output.open("rb") as stream:
                raw = stream.read(self._settings.output_limit)
        problem = None
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            text = raw.decode("utf-8", "backslashreplace")
            line = raw[:error.start].count(b"\n") + 1
            problem = f"printed invalid UTF-8 in line {line} of its output"
        return without_noise(text, self._settings.noise_pattern), problem

    def _collect(self, job: _Job) -> tuple[dict[str, bytes], list[str]]:
        """The figures a program drew, and files that are no figures of its own."""
        figures, strangers = {}, []
        work = job.scratch / "work"
        for path in sorted(p for p in work.rglob("*") if not p.is_dir()):
            name = path.relative_to(work).as_posix()
            if job.snippet.owns_figure(name) and path.is_file():
                figures[name] = path.read_bytes()
            else:
                strangers.append(name)
        return figures, strangers

    def _kill(self, job: _Job) -> None:
        """End the whole group of ``job``."""
        with contextlib.suppress(ProcessLookupError):
            job.process.kill()
        job.process.join()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(job.process.pid, signal.SIGKILL)
        if self._forks:
            from multiprocessing.forkserver import _forkserver

            running = {each.process.pid for each in self._running.values()}
            orphans.kill(_forkserver._forkserver_pid, running)


def _how_it_died(exit_code: int) -> str:
    if exit_code < 0:
        return f"was killed by {signal.Signals(-exit_code).name}"
    return f"ended before its last line, with exit code {exit_code}"
