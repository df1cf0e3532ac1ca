"""The beginning and end of every command, whatever goes wrong.

A command prints a message with a file and an advice, never a traceback. Exit codes:
1 something is wrong, or a file could not be read or written; 2 usage, settings or
environment; 128 and the number of a signal.
"""

import io
import os
import signal
import sys
from collections.abc import Callable

from .environment import KEPT
from .settings import SettingsError


def main(name: str, work: Callable[[], int]) -> int:
    """Run a command, whose work returns an exit code, and return an exit code."""
    _restart_without_variables()
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:  # a stream that is closed
        os.set_inheritable(number, True)
    os.close(number)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # These signals unwind the stack, as Ctrl-C does, so that no process is left.
    for signum in (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")):
        if signum and signal.getsignal(signum) is not signal.SIG_IGN:  # set by nohup
            signal.signal(signum, lambda number, _: sys.exit(128 + number))
    try:
        code = work()
        print(end="", flush=True)
        return code
    except (SettingsError, OSError, ImportError) as error:
        try:
            sys.stdout.flush()
        except OSError:  # Python would try once more, and change the exit code
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):  # the reader has gone, as in: … | head
            return 128 + signal.SIGPIPE
        print(f"{name}: {error}", file=sys.stderr)
        return 2 if isinstance(error, SettingsError) else 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _restart_without_variables() -> None:
    """Start the interpreter again if it has read variables that change a command."""
    names = [n for n in os.environ if n.startswith("PYTHON") and not KEPT.fullmatch(n)]
    # On Windows, execv would end the command for its caller.
    if any([*map(os.environ.pop, names)]) and sys.platform != "win32":
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
