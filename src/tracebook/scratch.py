"""A folder for what is made while a process works. It goes with the process; if that
was killed, it goes when the next one begins."""

import contextlib
import os
import shutil
import sys
import tempfile
from functools import cache
from multiprocessing import process, util
from pathlib import Path

_PREFIX = "tracebook-"


@cache
def folder() -> Path:
    """The folder of this process, also for what ``multiprocessing`` makes."""
    _sweep()
    made = tempfile.mkdtemp(prefix=_PREFIX)
    while not _lock(made) and not os.path.exists(made):  # swept before it was locked
        made = tempfile.mkdtemp(prefix=_PREFIX)
    util.Finalize(None, shutil.rmtree, (made, True), exitpriority=-100)
    vars(process.current_process())["_config"].setdefault("tempdir", made)
    return Path(made)


def _sweep() -> None:
    """Remove the folders whose processes have ended."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if lock := _lock(left):
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)


def _lock(path: str | Path) -> int:
    """Lock a folder until the process ends; 0 if that is not possible: another one has
    it, it is another user's, or the system has no such locks."""
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
