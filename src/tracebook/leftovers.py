"""Processes and temporary files that would outlive their work."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Set
from functools import cache
from multiprocessing import process, util
from pathlib import Path

_PREFIX = "tracebook-"


def prevent_orphans() -> None:
    """Adopt what this process's descendants leave behind, and end with its parent: on
    Linux, and if the thread that started this process ends."""
    if sys.platform == "linux":
        import ctypes

        PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def kill_children(parent: int, spared: Set[int] = frozenset()) -> None:
    """Kill the children of a process, except for those that are spared."""
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        for child in set(map(int, task.read_text().split())) - spared:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


@cache
def scratch_folder() -> Path:
    """Return this process's folder of temporary files, also for ``multiprocessing``. If
    the process is killed, the next one removes it."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if lock := _lock(left):  # its process has ended
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    path = tempfile.mkdtemp(prefix=_PREFIX)
    while not _lock(path) and not os.path.exists(path):  # another process swept it
        path = tempfile.mkdtemp(prefix=_PREFIX)
    util.Finalize(None, shutil.rmtree, (path, True), exitpriority=-100)
    # The path of a socket has some 100 characters at most: no folder within a folder.
    outer = next(p for p in Path(path, "_").parents[::-1] if _PREFIX in p.name)
    vars(process.current_process())["_config"].setdefault("tempdir", str(outer))
    return Path(path)


def _lock(path: str | Path) -> int:
    """Lock a folder until the process ends. Return 0 if that isn't possible: another
    process has locked it, it is another user's, or the system has no such locks."""
    if sys.platform == "win32":
        return 0
    import fcntl

    with contextlib.suppress(OSError):
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except OSError:
            os.close(lock)
    return 0
