"""Progress on stderr: one line that changes on a terminal, else a line now and then."""

import os
import sys
import time
from collections.abc import Callable

IS_TERMINAL = os.isatty(2)
PAUSE = 1 if IS_TERMINAL else 120
"""Seconds between two messages, at least."""


def show(text: str) -> None:
    """Show a message."""
    if IS_TERMINAL:  # the next text begins in the same line
        text = f"\r{text[: os.get_terminal_size(2).columns - 1]}\x1b[K\r"
    print(text, end="" if IS_TERMINAL else "\n", file=sys.stderr, flush=True)


def of_programs(parent: int = 0) -> Callable[[int, int], None]:
    """Return a function that shows the numbers of ended programs and of all, and ends
    this process if the ``parent`` that waits for the result has ended."""
    last = time.monotonic()

    def show_numbers(ended: int, total: int) -> None:
        nonlocal last
        if parent and os.getppid() != parent:
            sys.exit(1)
        if ended < total and time.monotonic() - last > PAUSE:
            last = time.monotonic()
            show(f"tracebook: {ended} of {total} snippets")

    return show_numbers
