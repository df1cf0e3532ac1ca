"""How far the work is, on stderr: in one line that is written anew where somebody
looks, and now and then where that is a file."""

import os
import sys
import time
from collections.abc import Callable

IS_SEEN = sys.stderr.isatty()
PAUSE = 1 if IS_SEEN else 10
"""Seconds, at least, from one to the next."""


def tell(text: str) -> None:
    if IS_SEEN:  # what is printed next begins where this does
        columns, _ = os.get_terminal_size(2)
        text = f"\r{text[: columns - 1]}\x1b[K\r"
    print(text, end="" if IS_SEEN else "\n", file=sys.stderr, flush=True)


def of_programs(parent: int = 0) -> Callable[[int, int], None]:
    """Tells of the number that ended, and of that of all.

    Ends it when the ``parent`` has gone that would be told the outcome.
    """
    told = time.monotonic()

    def say(ended: int, total: int) -> None:
        nonlocal told
        if parent and os.getppid() != parent:
            sys.exit(1)
        if ended < total and time.monotonic() - told > PAUSE:
            told = time.monotonic()
            tell(f"tracebook: {ended} of {total} snippets")

    return say
