"""How every command begins and ends, whatever goes wrong.

A command prints a message with a file and an advice, never a traceback. Exit codes:
1 something does not hold, or a file could not be read or written; 2 usage, settings
or environment; 128 and the number of a signal.
"""

import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from .settings import SettingsError

_ENDING = ("SIGTERM", "SIGHUP")


def main(name: str, work: Callable[[], int]) -> int:
    """Do the work of a command; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # A polite kill unwinds like Ctrl-C does, so that nothing is left behind.
    for each in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
        if signal.getsignal(each) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(each, lambda number, _: sys.exit(128 + number))
    try:
        _refuse_strangers()
        code = work()
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # who read the output has gone, as in: … | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 128 + signal.SIGPIPE
    except (SettingsError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2 if isinstance(error, SettingsError) else 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _refuse_strangers() -> None:
    """Raise SettingsError where a package is not that of ``src/``, beside ``.venv``."""
    src = Path(sys.prefix).parent / "src"
    for name, module in sys.modules.items():
        its = getattr(module, "__file__", None)
        if not its or not (src / name / "__init__.py").is_file():
            continue
        if not (found := Path(its).resolve()).is_relative_to(src.resolve()):
            raise SettingsError(
                f"{found} takes the place of {src / name};"
                " unset PYTHONPATH, or move it away"
            )
