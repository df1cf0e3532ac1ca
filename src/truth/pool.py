"""Perform tasks in worker processes; a worker that dies is replaced."""

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

from tracebook import leftovers, progress
from tracebook.settings import SettingsError

TIME_LIMIT = 1800.0
"""Seconds for a check of one page."""
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
    time_limit: float = TIME_LIMIT,
) -> None:
    """Perform tasks, and report each as it ends.

    Args:
        tasks: the tasks.
        root: the project's root.
        workers: the number of processes for pages. Programs have one more process,
            which only waits for those that run them.
        done: takes a task, and its result or a ``Failure``.
        perform: performs a task in a worker, and returns the result.
        time_limit: seconds for a check of one page.
    """
    waiting = sorted(tasks, key=lambda task: task.check != PROGRAMS)
    most = workers + sum(task.check == PROGRAMS for task in tasks)
    total = Counter(task.check for task in tasks for _ in task.paths)
    ended: Counter[str] = Counter()
    last_told, busy, idle = -math.inf, list[_Worker](), list[_Worker]()
    folder = tempfile.TemporaryDirectory(
        dir=leftovers.scratch_folder(), ignore_cleanup_errors=True
    )
    try:
        while waiting or busy:
            while waiting and len(busy) < most:
                worker = idle.pop() if idle else _Worker(perform, root, folder.name)
                busy.append(worker)
                worker.begin(waiting.pop(0), time_limit)
            if time.monotonic() - last_told >= progress.PAUSE:
                last_told = time.monotonic()
                counts = (f"{name} {ended[name]} of {n}" for name, n in total.items())
                progress.show(f"truth: {', '.join(counts)}")
            ready = connection.wait([worker.connection for worker in busy], 1)
            for worker in busy.copy():
                if worker.connection in ready or worker.deadline < time.monotonic():
                    result = worker.end()
                    busy.remove(worker)
                    idle += [worker] * worker.process.is_alive()
                    ended[worker.task.check] += len(worker.task.paths)
                    done(worker.task, result)
    finally:
        for worker in (*busy, *idle):
            worker.kill()
        folder.cleanup()


class _Worker:
    """A process that performs one task after another."""

    def __init__(self, perform: Perform, root: Path, folder: str) -> None:
        context = get_context("spawn")
        self.connection, remote = context.Pipe()
        arguments = remote, perform, root, folder
        self.process = context.Process(target=_serve, args=arguments)
        self.process.start()
        remote.close()

    def begin(self, task: Task, time_limit: float) -> None:
        """Have a task performed."""
        self.task = task
        seconds = math.inf if task.check == PROGRAMS else time_limit
        self.deadline = time.monotonic() + seconds
        with suppress(BrokenPipeError):  # end() returns a failure
            self.connection.send(task)

    def end(self) -> Any:
        """Return the result of the task, or a failure if the process has none."""
        if not self.connection.poll():
            self.kill()
            return Failure("it took too long")
        try:
            return self.connection.recv()
        except (EOFError, ConnectionError):
            self.kill()
            code = self.process.exitcode
            return Failure(f"its process ended with exit code {code}")

    def kill(self) -> None:
        """End the process, and the processes that it started."""
        children: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        psutil.wait_procs(children, 5)
        self.process.join(5)


def _serve(requests: Connection, perform: Perform, root: Path, folder: str) -> None:
    """Perform the tasks of a connection, in a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    os.environ["TMPDIR"] = folder
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        task = requests.recv()
        try:
            result = perform(task, root)
        except Exception as error:
            is_known = isinstance(error, (SettingsError, OSError))
            result = Failure(str(error) if is_known else traceback.format_exc())
        requests.send(result)


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)
