"""What happens inside the process of one snippet.

Nothing here may print, import a heavy module, or survive the snippet.
"""

import atexit
import io
import json
import linecache
import os
import re
import signal
import sys
import tempfile
import threading
import time
import traceback
import types
from pathlib import Path

from . import orphans
from .trace import NOT_NOISE

_GRACE_SECONDS = 0.5


class _PythonStream(io.FileIO):
    """A descriptor for Python's streams that marks look-alikes of noise."""

    def __init__(self, descriptor: int, noise: re.Pattern) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._noise = re.compile(noise.pattern.encode(), noise.flags & re.MULTILINE)

    def write(self, data) -> int:
        whole = bytes(data)
        marked = self._noise.sub(lambda m: NOT_NOISE.encode() + m[0], whole)
        while marked:
            marked = marked[super().write(marked):]
        return len(whole)


def run(path: str, source: str, preload: tuple[str, ...], forked: bool,
        noise: re.Pattern, scratch: str, hidden: list[str]) -> None:
    """Run one program as ``__main__`` and write ``report.json``.

    ``scratch`` holds ``output`` (both streams in printed order), ``work``
    (the working folder) and ``report.json``, which exists only if the program
    came to its end. The program may import nothing from the folders ``hidden``.
    """
    _die_with_parent()
    orphans.adopt()
    _redirect(Path(scratch, "output"), noise)
    work = Path(scratch, "work")
    # The process forked from has made up its mind about temporary files.
    tempfile.tempdir = str(Path(scratch, "tmp"))
    for name in ("TMPDIR", "TMP", "TEMP"):
        os.environ[name] = tempfile.tempdir
    sys.path[:] = [str(work)] + [
        folder for folder in sys.path
        if os.path.abspath(folder) not in hidden and os.path.exists(folder)]
    os.chdir(work)
    sys.argv[:] = [path]
    report = {"missing": [
        name for name in preload if forked and name not in sys.modules]}
    atexit._clear()
    report["exception"] = _execute(path, source)
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    report["left_processes"] = _end_children()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except ValueError:  # the program closed it
            pass
    Path(scratch, "report.json").write_text(json.dumps(report), "utf-8")


def _die_with_parent() -> None:
    """Lead a process group of one's own, which ends when the engine ends."""
    if hasattr(os, "setsid"):
        os.setsid()
    # The forkserver ends when nobody holds this descriptor any more, and every
    # child inherits it: let go of it, or a killed engine leaves both behind.
    if module := sys.modules.get("multiprocessing.forkserver"):
        server = module._forkserver
        if server._forkserver_alive_fd is not None:
            os.close(server._forkserver_alive_fd)
            server._forkserver_alive_fd = None
    if sys.platform == "linux":
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_children() -> bool:
    """End what the program started; whether any of it was still there."""
    deadline = time.monotonic() + _GRACE_SECONDS
    try:
        while time.monotonic() < deadline:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.02)
        while True:
            orphans.kill(os.getpid())
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.02)
    except AttributeError:  # a system without such processes
        return False
    except ChildProcessError:  # none is left
        return time.monotonic() >= deadline


def _redirect(output: Path, noise: re.Pattern) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    descriptor = os.open(output, flags, 0o600)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    os.close(empty)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    for name, number in (("stdout", 1), ("stderr", 2)):
        buffer = io.BufferedWriter(_PythonStream(number, noise))
        stream = io.TextIOWrapper(
            buffer, "utf-8", line_buffering=True, errors="backslashreplace"
            if name == "stderr" else "strict")
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _execute(path: str, source: str) -> dict | None:
    """Run the program; what ended it early, or None."""
    linecache.cache[path] = (
        len(source), None, source.splitlines(keepends=True), path)
    main = types.ModuleType("__main__")
    if path.endswith(".py"):  # a program inside a page has no file of its own
        main.__file__ = path
    sys.modules["__main__"] = main
    try:
        exec(compile(source, path, "exec"), main.__dict__)
    except SystemExit as stop:
        if stop.code in (None, 0):
            return None
        return _describe(stop, path)
    except BaseException as error:
        return _describe(error, path)
    return None


def _describe(error: BaseException, path: str) -> dict:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = [error.lineno]
    return {
        "type": type(error).__name__,
        "qualified": f"{type(error).__module__}.{type(error).__qualname__}",
        "message": "".join(traceback.format_exception_only(error)).rstrip("\n"),
        "line": lines[-1] if lines else 1,
    }
