"""Run snippets: one fresh process, working folder and time limit for each."""

import contextlib
import errno
import json
import multiprocessing
import multiprocessing.connection
import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

from . import child, orphans
from .settings import Settings, SettingsError
from .snippet import Snippet
from .trace import ended, without_noise

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


@dataclass(eq=False)
class _Job:
    snippet: Snippet
    process: BaseProcess
    scratch: Path
    deadline: float


class Runner:
    """Runs snippets; keeps the process that they are forked from warm.

    All children are started and joined from the calling thread: two threads
    that join children of one forkserver lose exit codes now and then.
    """

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
        process = self._context.Process(
            target=child.run, args=(snippet, self._settings, scratch)
        )
        try:
            process.start()
        except (EOFError, OSError) as error:
            raise SettingsError(
                "preload: the process to fork from ended, maybe while it imported"
                f" {', '.join(self._settings.preload)}: {error}"
            ) from error
        return _Job(
            snippet, process, scratch, time.monotonic() + self._settings.time_limit
        )

    def _look_at(self, job: _Job) -> Run | None:
        """The outcome of ``job``, or None while it runs."""
        output, report = job.scratch / "output", job.scratch / "report.json"
        size, time_limit = self._settings.output_limit, self._settings.time_limit
        problem = None
        if output.stat().st_size > size:
            problem = f"printed more than {size} bytes"
        elif job.process.exitcode is None:
            if time.monotonic() < job.deadline:
                return None
            problem = f"did not finish within {time_limit:g} seconds"
        self._kill(job)
        if not shutil.disk_usage(job.scratch).free:  # what it wrote may be lost
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._scratch.name)
        with output.open("rb") as stream:
            text = stream.read(size).decode("utf-8", "surrogateescape")
        trace = ended(without_noise(text, self._settings.noise_pattern))
        if job.process.exitcode or not report.exists():
            return Run(trace, problem or _how_it_died(job.process.exitcode))
        said = json.loads(report.read_text("utf-8"))
        if said["missing"]:
            raise SettingsError(
                f"preload: {', '.join(said['missing'])} could not be imported"
            )
        figures, litter = _collect(job)
        return Run(
            trace + ended(said["message"]),
            problem or said["problem"] or litter,
            said["line"],
            figures,
        )

    def _kill(self, job: _Job) -> None:
        """End ``job`` and whatever it left."""
        job.process.kill()
        job.process.join()
        with contextlib.suppress(AttributeError, OSError):  # no groups, no group
            os.killpg(job.process.pid, signal.SIGKILL)
        if self._forks:
            from multiprocessing.forkserver import _forkserver

            running = {each.process.pid for each in self._running}
            orphans.kill(_forkserver._forkserver_pid, running)


def _collect(job: _Job) -> tuple[dict[str, bytes], str | None]:
    """The figures that a program drew, and what is wrong with other files."""
    work, stem = job.scratch / "work", job.snippet.path.stem
    own = re.compile(rf"{re.escape(stem)}(-[\w-]+)?\.svg")
    left = {
        path.relative_to(work).as_posix(): path
        for path in sorted(work.rglob("*"))
        if not path.is_dir()
    }
    figures = {
        name: path.read_bytes()
        for name, path in left.items()
        if own.fullmatch(name) and path.is_file()
    }
    if strangers := [name for name in left if name not in figures]:
        return figures, (
            f"left files behind: {', '.join(strangers)}; only figures"
            f" named {stem}.svg or {stem}-….svg are published"
        )
    return figures, None


def _how_it_died(exit_code: int) -> str:
    if exit_code < 0:
        return f"was killed by {signal.Signals(-exit_code).name}"
    return f"ended before its last line, with exit code {exit_code}"
