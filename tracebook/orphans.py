"""What a snippet leaves running when it ends. Only Linux tells."""

import contextlib
import os
import signal
import sys
from pathlib import Path


def adopt() -> None:
    """Become the parent of whatever one's descendants leave behind."""
    if sys.platform == "linux":
        import ctypes

        PR_SET_CHILD_SUBREAPER = 36
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def kill(parent: int, spared: set[int] = frozenset()) -> None:
    """Kill the children of a process, but for those that are spared."""
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        for child in set(map(int, task.read_text().split())) - spared:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
