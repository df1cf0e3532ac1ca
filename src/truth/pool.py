"""Run the checks of pages in worker processes."""

import faulthandler
import math
import os
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures import ProcessPoolExecutor as Pool
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path

import psutil

from tracebook import progress, scratch

from .finding import Finding

TIME_LIMIT = 900.0
"""Seconds of work, of all threads, for a check of one page; by the clock it may take
twice as long, because others work, too. Programs have limits of their own."""
_BY_THE_CLOCK = 2
PROGRAMS = "programs"


@dataclass(frozen=True)
class Task:
    """One check, of a page or of programs, for one process."""

    check: str
    things: tuple[str, ...]
    """Paths below the root."""

    @property
    def waits(self) -> bool:
        """Whether other processes do its work."""
        return self.check == PROGRAMS


Answer = list[Finding]
Ask = Callable[[Task, Path], Answer]
Done = Callable[[Task, Answer | BaseException], None]


def run(
    tasks: list[Task],
    root: Path,
    workers: int,
    done: Done,
    *,
    ask: Ask,
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
