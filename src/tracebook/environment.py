"""The environment variables of commands and programs: a few of the user's, and none of
those that break or change runs."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .settings import Settings

KEPT = re.compile(
    r"PATH|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP|COVERAGE_\w+"
    r"|(LD_|DYLD_)(LIBRARY_PATH|PRELOAD|INSERT_LIBRARIES)"
    r"|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|PROCESSOR_\w+"
    r"|PYTHON(HOME|PATH|SAFEPATH|NOUSERSITE|USERBASE|DONTWRITEBYTECODE|PYCACHEPREFIX"
    r"|UTF8|COERCECLOCALE|IOENCODING|HASHSEED|UNBUFFERED|FAULTHANDLER|OPTIMIZE)"
)
"""The variables that programs get. Commands, too, drop those of Python that are missing
here: with these, it waits for input at its end, or turns warnings into errors."""


def variables(settings: Settings, home: str = os.devnull) -> dict[str, str]:
    """Return the variables of programs.

    There is no file of the user's, and Matplotlib has its defaults. Its cache of fonts
    is the project's, so that not every program makes one.
    """
    names = [n for n in os.environ if KEPT.fullmatch(n) or n in settings.keep]
    return {name: os.environ[name] for name in names} | {
        **dict.fromkeys(("HOME", "USERPROFILE"), home),
        "MATPLOTLIBRC": os.devnull,
        "MPLCONFIGDIR": str(settings.cache_dir / "matplotlib"),
        "MPLBACKEND": "agg",
    }


@contextmanager
def of_programs(settings: Settings) -> Iterator[None]:
    """Give the variables of programs to the processes that start meanwhile."""
    before, options = os.environ.copy(), sys.warnoptions
    sys.warnoptions = []  # which Python would pass on
    exchange(variables(settings))
    try:
        yield
    finally:
        exchange(before)
        sys.warnoptions = options


def exchange(values: dict[str, str]) -> None:
    """Replace all variables of this process."""
    os.environ.clear()
    os.environ.update(values)
