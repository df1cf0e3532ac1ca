"""A folder for temporary files. It goes with the process; if that was killed, it goes
when the next one begins."""

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
    """Return the folder of this process, which ``multiprocessing`` uses, too."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if lock := _lock(left):  # its process has ended
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    path = tempfile.mkdtemp(prefix=_PREFIX)
    while not _lock(path) and not os.path.exists(path):  # another process swept it
        path = tempfile.mkdtemp(prefix=_PREFIX)
    util.Finalize(None, shutil.rmtree, (path, True), exitpriority=-100)
    vars(process.current_process())["_config"].setdefault("tempdir", path)
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
