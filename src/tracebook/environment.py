"""The environment variables of programs: the user's, without those that break or
change runs."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .settings import Settings

OF_PYTHON = ("PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONWARNINGS")
"""With these, Python waits for input at its end, or turns warnings into errors."""
_OF_TERMINALS = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")


def variables(settings: Settings) -> dict[str, str | None]:
    """Return the variables that programs get or, with None, don't get.

    Matplotlib has its defaults, whatever the user's files say. Its cache of fonts is
    the project's, so that not every program makes one.
    """
    return dict.fromkeys((*OF_PYTHON, *_OF_TERMINALS, *settings.unset)) | {
        "MATPLOTLIBRC": os.devnull,
        "MPLCONFIGDIR": str(settings.cache_dir / "matplotlib"),
        "MPLBACKEND": "agg",
    }


def change(changes: dict[str, str | None]) -> None:
    """Set and unset variables of this process."""
    for name, value in changes.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def of_programs(settings: Settings) -> Iterator[None]:
    """Give the variables of programs to the processes that start meanwhile."""
    changes = variables(settings)
    before = {name: os.environ.get(name) for name in changes}
    options, sys.warnoptions = sys.warnoptions, []  # which Python would pass on
    change(changes)
    try:
        yield
    finally:
        change(before)
        sys.warnoptions = options
