"""Files that are read again when they have changed."""

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path


def once_per_version(read: Callable) -> Callable:
    """``read(path)``, kept until the file changes; None where there is none."""
    @lru_cache(maxsize=1)
    def kept(path: Path, changed: int, size: int):
        return read(path)

    @wraps(read)
    def current(path: Path):
        try:
            stamp = path.stat()
        except FileNotFoundError:
            return None
        return kept(path, stamp.st_mtime_ns, stamp.st_size)

    return current
