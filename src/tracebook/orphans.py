"""Processes that would outlive the one that started them. Only Linux helps."""

import contextlib
import os
import signal
import sys
from collections.abc import Set
from pathlib import Path


def adopt() -> None:
    """Become the parent of what one's descendants leave behind."""
    PR_SET_CHILD_SUBREAPER = 36
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def prevent() -> None:
    """Adopt, and end with the thread that started one."""
    adopt()
    PR_SET_PDEATHSIG = 1
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def kill(parent: int, spared: Set[int] = frozenset()) -> None:
    """Kill the children of a process, but for those that are spared."""
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        for child in set(map(int, task.read_text().split())) - spared:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
