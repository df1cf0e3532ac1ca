"""Perform tasks in worker processes; a worker that dies is replaced."""

import faulthandler
import math
import os
import signal
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil

from tracebook import progress, scratch

TIME_LIMIT = 900.0
"""Processor time of all threads for a check of one page, in seconds. By the clock, a
check may take twice as long, because other processes work, too."""
PROGRAMS = "programs"
"""The check of programs, which have time limits of their own."""


@dataclass(frozen=True)
class Task:
    """A check of a page or of programs, for one worker."""

    check: str
    paths: tuple[str, ...]
    """Paths below the project's root."""


@dataclass(frozen=True)
class Failure:
    """The end of a task that has no result."""

    message: str


Perform = Callable[[Task, Path], Any]


def run(
    tasks: list[Task],
    root: Path,
    workers: int,
    done: Callable[[Task, Any], None],
    *,
    perform: Perform,
    tell: Callable[[str], None] = lambda line: None,
    time_limit: float = TIME_LIMIT,
) -> None:
    """Perform tasks, and report each as it ends.

    Args:
        tasks: the tasks.
        root: the project's folder.
        workers: the number of processes for the checks of pages. Programs have one more,
            which waits for the processes that run them.
        done: takes a task, and its result or a ``Failure``.
        perform: performs a task in a worker, and returns the result.
        tell: takes a line on the progress, now and then.
        time_limit: processor time for the check of a page, in seconds.
    """
    waiting = sorted(tasks, key=lambda task: task.check != PROGRAMS)
    most = workers + sum(task.check == PROGRAMS for task in tasks)
    state, busy, idle = _Progress(tasks, tell), list[_Worker](), list[_Worker]()
    with tempfile.TemporaryDirectory(
        dir=scratch.folder(), ignore_cleanup_errors=True
    ) as folder:
        try:
            while waiting or busy:
                while waiting and len(busy) < most:
                    worker = idle.pop() if idle else _Worker(perform, root, folder)
                    busy.append(worker)
                    worker.begin(waiting.pop(0), time_limit)
                state.tell()
                ready = connection.wait([worker.connection for worker in busy], 1)
                for worker in [each for each in busy if each.connection in ready]:
                    busy.remove(worker)
                    result = worker.result()
                    if worker.is_alive:
                        idle.append(worker)
                    done(worker.task, result)
                    state.count(worker.task)
        finally:
            for worker in (*busy, *idle):
                worker.kill()


class _Worker:
    """A process that performs one task after another."""

    def __init__(self, perform: Perform, root: Path, folder: str) -> None:
        context = get_context("spawn")
        self.connection, remote = context.Pipe()
        arguments = remote, perform, root, folder
        self._process = context.Process(target=_serve, args=arguments)
        self._process.start()
        remote.close()
        self.is_alive = True

    def begin(self, task: Task, time_limit: float) -> None:
        """Have a task performed."""
        self.task = task
        with suppress(BrokenPipeError):  # result() will tell
            self.connection.send((task, time_limit))

    def result(self) -> Any:
        """Return the result of the task, or a failure if the process died."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionError):
            self.is_alive = False
            self._process.join()
            code = self._process.exitcode
            return Failure(f"its process ended with exit code {code}")

    def kill(self) -> None:
        """End the process, and the processes that it started."""
        children: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(self._process.pid).children(recursive=True)
        self._process.kill()
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        psutil.wait_procs(children, 5)
        self._process.join(5)


def _serve(requests: Connection, perform: Perform, root: Path, folder: str) -> None:
    """Perform the tasks of a connection, in a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    os.environ["TMPDIR"] = folder
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        task, time_limit = requests.recv()
        if task.check != PROGRAMS:
            faulthandler.dump_traceback_later(2 * time_limit, exit=True)
            _limit_work(time_limit)
        try:
            result = perform(task, root)
        except Exception:
            result = Failure(traceback.format_exc())
        faulthandler.cancel_dump_traceback_later()
        _limit_work(0)
        requests.send(result)


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _limit_work(seconds: float) -> None:
    """End this process after so much processor time; 0 lifts the limit."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


class _Progress:
    """Tells how many checks ended, with a pause between two lines."""

    def __init__(self, tasks: list[Task], tell: Callable[[str], None]) -> None:
        self._tell, self._last = tell, -math.inf
        self._ended: Counter[str] = Counter()
        self._total: Counter[str] = Counter()
        for task in tasks:
            self._total[task.check] += len(task.paths)

    def count(self, task: Task) -> None:
        self._ended[task.check] += len(task.paths)

    def tell(self) -> None:
        if time.monotonic() - self._last >= progress.PAUSE:
            self._last = time.monotonic()
            counts = self._total.items()
            parts = (f"{name} {self._ended[name]} of {n}" for name, n in counts)
            self._tell(f"truth: {', '.join(parts)}")
