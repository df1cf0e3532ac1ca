"""What happens inside the process of one snippet.

Nothing here may print, import a heavy module, or survive the snippet.
"""

import atexit
import contextlib
import gc
import importlib
import io
import json
import linecache
import math
import os
import re
import sys
import tempfile
import threading
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from . import orphans
from .output import NOT_NOISE, Printed, without_frames
from .settings import Settings
from .snippet import Snippet

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

_GRACE_SECONDS = 0.5
# Whose terminal the engine was started from is no part of a trace.
_TERMINAL = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")


class _PythonStream(io.FileIO):
    """A descriptor for Python's streams that marks look-alikes of noise, and keeps
    which line of the program printed what."""

    def __init__(
        self, descriptor: int, noise: re.Pattern, path: str, printed: list[Printed]
    ) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._noise = re.compile(noise.pattern.encode(), noise.flags & re.MULTILINE)
        self._path, self._printed = path, printed

    def write(self, data: "Buffer") -> int:
        whole = bytes(data)
        marked = self._noise.sub(lambda m: NOT_NOISE.encode() + m[0], whole)
        while marked:
            marked = marked[super().write(marked) :]
        self._printed.append((whole.decode("utf-8", "replace"), _line_of(self._path)))
        return len(whole)


def _line_of(path: str) -> int:
    """The line of the program that is being run, in this thread; 0 if none is, or if
    AutoGraph runs it as lines of its own."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename != path:
        if "__autograph_generated_file" in frame.f_code.co_filename:
            return 0
        if not frame.f_back:
            return 0
        frame = frame.f_back
    return frame.f_lineno


def run(snippet: Snippet, settings: Settings, scratch: Path) -> None:
    """Run one program as ``__main__`` and write ``report.json``.

    ``scratch`` holds ``output`` (both streams in printed order), ``work``
    (the working folder) and ``report.json``, which exists only if the program
    came to its end. It may import nothing from the book or the engine's folder.
    """
    gc.freeze()
    gc.enable()
    orphans.prevent()
    if hasattr(os, "setsid"):  # lead a group, which the engine ends as a whole
        os.setsid()
    path = _placed(snippet, scratch)
    printed = _redirect(scratch / "output", settings.noise_pattern, path)
    for name in _TERMINAL:
        os.environ.pop(name, None)
    # The process forked from has made up its mind about temporary files.
    tempfile.tempdir = str(scratch / "tmp")
    os.environ |= dict.fromkeys(("TMPDIR", "TMP", "TEMP"), tempfile.tempdir)
    # From the book's root, and the process forked from may have been another's.
    observer = settings.observer and importlib.import_module(settings.observer)
    engine = Path(__file__).resolve().parents[1]
    hidden = (str(settings.root), str(engine), os.getcwd())
    sys.path[:] = [str(scratch / "work")] + [
        folder
        for folder in sys.path
        if os.path.abspath(folder) not in hidden and os.path.exists(folder)
    ]
    os.chdir(scratch / "work")
    sys.argv[:] = [path]
    forked = settings.start_method == "forkserver"
    missing = [name for name in settings.preload if forked and name not in sys.modules]
    may_be_lifted = bool(settings.observer or snippet.variants)
    _limit(settings.time_limit, may_be_lifted)
    end = observer and observer.begin(snippet)
    # The interpreter's own order: the program, its threads, what it registered.
    atexit._clear()
    prepared = getattr(observer, "prepared", str)
    error = None
    if snippet.variants:
        _execute_variants(path, snippet, scratch / "output", settings.time_limit)
    else:
        error = _execute(path, snippet.text, prepared)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    report = _judge(error, snippet, path) | {"missing": missing, "printed": printed}
    if _end_children():
        report["problem"] = report["problem"] or "left a process behind"
    if end:
        _silence()
        _limit(0, may_be_lifted=True)
        report["observed"] = end()
    (scratch / "report.json").write_text(json.dumps(report), "utf-8")


def _placed(snippet: Snippet, scratch: Path) -> str:
    """The file that runs: the program as readers see it, for AutoGraph reads the file
    again. A program inside a page has none of its own."""
    if snippet.path.suffix != ".py":
        return str(snippet.path)
    path = scratch / "program" / snippet.path.name
    path.parent.mkdir()
    path.write_text(snippet.text, "utf-8", "surrogateescape")
    return str(path)


def _silence() -> None:
    """What is printed from here on is no part of the trace."""
    sys.stdout.flush()
    sys.stderr.flush()
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)


def _limit(seconds: float, may_be_lifted: bool) -> None:
    """End this process after so much work of its own, and each that it starts; 0
    lifts the limit."""
    with contextlib.suppress(ImportError, ValueError):  # Windows; a lower limit
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = math.ceil(time.process_time() + seconds) if seconds else hard
        resource.setrlimit(
            resource.RLIMIT_CPU, (soft, hard if may_be_lifted else soft + 1)
        )


def _redirect(output: Path, noise: re.Pattern, path: str) -> list[Printed]:
    """Have all that is printed in one file; what Python prints, and where, is kept."""
    printed: list[Printed] = []
    with open(os.devnull) as empty, output.open("ab") as both:
        os.dup2(empty.fileno(), 0)
        os.dup2(both.fileno(), 1)
        os.dup2(both.fileno(), 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    for name, number, errors in (
        ("stdout", 1, "strict"),
        ("stderr", 2, "backslashreplace"),
    ):
        stream = io.TextIOWrapper(
            io.BufferedWriter(_PythonStream(number, noise, path, printed)),
            "utf-8",
            errors,
            line_buffering=True,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return printed


def _execute(path: str, source: str, prepared: Callable) -> BaseException | None:
    """Run the program, as the observer wants it; what ended it early, or None."""
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if path.endswith(".py"):
        main.__file__ = path
    try:
        exec(compile(prepared(source), path, "exec"), main.__dict__)
    except BaseException as error:
        if not (isinstance(error, SystemExit) and error.code in (None, 0)):
            return error
    return None


def _execute_variants(
    path: str, snippet: Snippet, output: Path, time_limit: float
) -> None:
    """Run texts in the place of a program, each with a line before it, and with the
    message that ends it. Each has the whole time of a program, and a file of its own,
    for AutoGraph keeps what it read."""
    for number, (heading, text) in enumerate(snippet.variants):
        _limit(time_limit, may_be_lifted=True)
        print(heading)
        own = Path(path).parent / str(number) / Path(path).name
        own.parent.mkdir()
        own.write_text(text, "utf-8", "surrogateescape")
        if error := _execute(str(own), text, str):
            print(_message(error))
        sys.stderr.flush()
        sys.stdout.flush()
        if not output.read_bytes().endswith(b"\n"):
            print()
        for drawn in (output.parent / "work").glob("*.svg"):
            (folder := drawn.parent / str(number)).mkdir(exist_ok=True)
            drawn.rename(folder / drawn.name)
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.close("all")  # it warns of many


def _message(error: BaseException) -> str:
    lines = traceback.format_exception_only(error)
    return without_frames("".join(lines).rstrip("\n"))


def _judge(error: BaseException | None, snippet: Snippet, path: str) -> dict:
    """How the program ended, beside what it declares: a message, the problem
    and its line in the text, or 0."""
    if error is None:
        problem = f"declares that it raises {snippet.raises}, but did not"
        return {"message": "", "line": 0, "problem": snippet.raises and problem}
    kind = type(error)
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = [error.lineno or 0]
    message = "".join(traceback.format_exception_only(error)).rstrip("\n")
    problem = "raised " + re.sub(
        rf'File "{re.escape(path)}", line (\d+)',
        lambda m: f'File "{snippet.label}", line {snippet.line(int(m[1]))}',
        message,
    )
    said = {
        "message": without_frames(message),
        "line": lines[-1] if lines else 0,
        "problem": None,
    }
    if snippet.raises in (kind.__name__, f"{kind.__module__}.{kind.__qualname__}"):
        return said
    if snippet.raises:
        problem += f"\n(it declares that it raises {snippet.raises})"
    return said | {"problem": problem}


def _end_children() -> bool:
    """End what the program started; whether any of it was still there."""
    deadline = time.monotonic() + _GRACE_SECONDS
    with contextlib.suppress(
        ChildProcessError,  # none is left
        AttributeError,
    ):  # a system without such processes
        while True:
            if time.monotonic() >= deadline:
                orphans.kill(os.getpid())
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.02)
    return time.monotonic() >= deadline
