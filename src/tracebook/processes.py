"""Processes that would outlive the one that started them. Only Linux helps."""

import contextlib
import os
import signal
import sys
from collections.abc import Set
from pathlib import Path


def prevent_orphans() -> None:
    """Adopt what this process's descendants leave behind, and end with its parent.

    To Linux, the parent is the thread that started this process.
    """
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
