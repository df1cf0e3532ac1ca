"""The process of one program.

Nothing here may print, import a heavy module, or outlive the program.
"""

import atexit
import contextlib
import gc
import importlib.util
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

from . import environment, leftovers, streams
from .output import without_frames
from .settings import Settings
from .snippet import Snippet

_GRACE_SECONDS = 0.5


def run(snippet: Snippet, settings: Settings, scratch: Path, secret: str) -> None:
    """Run one program as ``__main__``, and write ``report.json``.

    The program may import nothing from the project or the engine's folder.

    Args:
        snippet: the program.
        settings: of the project.
        scratch: holds ``output``, ``work`` (the working folder) and ``tmp``.
        secret: part of the report, which a program could write itself. One that looks
            through the frames of its callers could find it.
    """
    gc.freeze()
    gc.enable()
    leftovers.prevent_orphans()
    if hasattr(os, "setsid"):  # lead a group, which the engine ends as a whole
        os.setsid()
    path = str(snippet.path)
    if snippet.path.suffix == ".py":  # a program inside a page has no file of its own
        path = _write(scratch / "program" / snippet.path.name, snippet.text)
    printed = streams.redirect(scratch / "output", settings.noise_pattern, path)
    # The observer may be in the project's folder, and the process that this one was
    # forked from may have been another project's.
    observer = settings.observer and importlib.import_module(settings.observer)
    _isolate(settings, scratch, path)
    forked = settings.start_method == "forkserver"
    missing = [name for name in settings.preload if forked and name not in sys.modules]
    has_more_time = bool(observer or snippet.variants)
    _limit(settings.time_limit, has_more_time)
    end = observer and observer.begin(snippet)
    # The interpreter's own order: the program, its threads, what it registered.
    atexit._clear()
    error = None
    if snippet.variants:
        _execute_variants(path, snippet, scratch, settings.time_limit)
    else:
        error = _execute(path, snippet.text, getattr(observer, "prepared", str))
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    report = _ending(error, snippet, path)
    if _end_children():
        report["problem"] = report["problem"] or "left a process behind"
    if end:
        streams.silence()
        _limit(0, has_more_time)
        report["observed"] = end()
    report |= {"missing": missing, "printed": printed, "secret": secret}
    (scratch / "report.json").write_text(json.dumps(report), "utf-8")


def _write(path: Path, text: str) -> str:
    """Write the file that runs, which AutoGraph reads again."""
    path.parent.mkdir()
    path.write_text(text, "utf-8", "surrogateescape")
    return str(path)


def _isolate(settings: Settings, scratch: Path, path: str) -> None:
    """Hide the user's variables and the project's folders from the program."""
    # The fork server has chosen its folder of temporary files already.
    tempfile.tempdir = str(scratch / "tmp")
    environment.exchange(environment.variables(settings, tempfile.tempdir))
    os.environ |= dict.fromkeys(("TMPDIR", "TMP", "TEMP"), tempfile.tempdir)
    engine = Path(__file__).resolve().parents[1]
    hidden = (str(settings.root), str(engine), os.getcwd())
    sys.path[:] = [str(scratch / "work")] + [
        folder
        for folder in sys.path
        if os.path.abspath(folder) not in hidden and os.path.exists(folder)
    ]
    os.chdir(scratch / "work")
    sys.argv[:] = [path]


def _limit(seconds: float, may_be_lifted: bool) -> None:
    """End this process, and each that it starts, after so many seconds of work; 0 lifts
    the limit."""
    with contextlib.suppress(ImportError, ValueError):  # Windows; a lower limit
        import resource

        _, hard = resource.getrlimit(kind := resource.RLIMIT_CPU)
        soft = math.ceil(time.process_time() + seconds) if seconds else hard
        resource.setrlimit(kind, (soft, hard if may_be_lifted else soft + 1))


def _execute(path: str, source: str, prepared: Callable) -> BaseException | None:
    """Run a program as the observer prepares it, and return the error that ended it."""
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if path.endswith(".py"):
        main.__file__ = path
    try:
        source = importlib.util.decode_source(source.encode("utf-8", "surrogateescape"))
        exec(compile(prepared(source), path, "exec"), main.__dict__)
    except BaseException as error:
        if not (isinstance(error, SystemExit) and error.code in (None, 0)):
            return error
    return None


def _execute_variants(
    path: str, snippet: Snippet, scratch: Path, time_limit: float
) -> None:
    """Run each variant after its heading, and print the message that ends it.

    Each has the time of a program, and a file of its own, because AutoGraph keeps what
    it has read.
    """
    for number, (heading, text) in enumerate(snippet.variants):
        _limit(time_limit, may_be_lifted=True)
        print(heading)
        file = Path(path).parent / str(number) / Path(path).name
        if error := _execute(_write(file, text), text, str):
            print(_message(error))
        sys.stderr.flush()
        sys.stdout.flush()
        if not (scratch / "output").read_bytes().endswith(b"\n"):
            print()
        for figure in (scratch / "work").glob("*.svg"):
            (folder := figure.parent / str(number)).mkdir(exist_ok=True)
            figure.rename(folder / figure.name)
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.close("all")  # it warns of many


def _message(error: BaseException) -> str:
    lines = traceback.format_exception_only(error)
    return without_frames("".join(lines).rstrip("\n"))


def _ending(error: BaseException | None, snippet: Snippet, path: str) -> dict:
    """Describe how a program ended: a message for its output, the line of the text, and
    the problem if that isn't as declared."""
    if error is None:
        problem = f"declares that it raises {snippet.raises}, but did not"
        return {"message": "", "line": 0, "problem": snippet.raises and problem}
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = [error.lineno or 0]
    ending = {"message": _message(error), "line": lines[-1] if lines else 0}
    kind = type(error)
    if snippet.raises in (kind.__name__, f"{kind.__module__}.{kind.__qualname__}"):
        return ending | {"problem": None}
    problem = "raised " + re.sub(
        rf'File "{re.escape(path)}", line (\d+)',
        lambda m: f'File "{snippet.label}", line {snippet.line(int(m[1]))}',
        "".join(traceback.format_exception_only(error)).rstrip("\n"),
    )
    declared = f"\n(it declares that it raises {snippet.raises})"
    return ending | {"problem": problem + declared * bool(snippet.raises)}


def _end_children() -> bool:
    """End what the program started, and return whether any of it was still there."""
    deadline = time.monotonic() + _GRACE_SECONDS
    # There is no child left, or the system has no such leftovers.
    with contextlib.suppress(ChildProcessError, AttributeError):
        while True:
            if time.monotonic() >= deadline:
                leftovers.kill_children(os.getpid())
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.02)
    return time.monotonic() >= deadline
