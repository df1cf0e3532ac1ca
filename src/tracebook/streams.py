"""The streams of a program: one file gets all that it prints, in printed order."""

import io
import os
import re
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from .output import NOT_NOISE, Printed

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer


class _PythonStream(io.FileIO):
    """A descriptor for Python's streams: it marks lines that look like noise, and
    records which line of the program printed a text."""

    def __init__(
        self, descriptor: int, noise: re.Pattern, path: str, printed: list[Printed]
    ) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._noise = re.compile(noise.pattern.encode(), noise.flags & re.MULTILINE)
        self._path, self._printed = path, printed

    def write(self, data: "Buffer") -> int:
        content = bytes(data)
        rest = self._noise.sub(lambda m: NOT_NOISE.encode() + m[0], content)
        while rest:
            rest = rest[super().write(rest) :]
        self._printed.append((content.decode("utf-8", "replace"), _line_of(self._path)))
        return len(content)


def _line_of(path: str) -> int:
    """Return the line of the program that runs in this thread; 0 if none does, or if
    AutoGraph runs it as lines of another file."""
    frame: FrameType | None = sys._getframe(1)
    while frame and "__autograph_generated_file" not in frame.f_code.co_filename:
        if frame.f_code.co_filename == path:
            return frame.f_lineno
        frame = frame.f_back
    return 0


def redirect(output: Path, noise: re.Pattern, path: str) -> list[Printed]:
    """Send all that is printed to one file, and return a list that gets what Python's
    streams print, and which line of the program at ``path`` prints it."""
    printed: list[Printed] = []
    with open(os.devnull) as empty, output.open("ab") as printer:
        for number, file in enumerate((empty, printer, printer)):
            os.dup2(file.fileno(), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    streams = ("stdout", 1, "strict"), ("stderr", 2, "backslashreplace")
    for name, number, errors in streams:
        buffer = io.BufferedWriter(_PythonStream(number, noise, path, printed))
        stream = io.TextIOWrapper(buffer, "utf-8", errors, line_buffering=True)
        vars(sys).update({name: stream, f"__{name}__": stream})
    return printed


def silence() -> None:
    """Drop what is printed from here on."""
    sys.stdout.flush()
    sys.stderr.flush()
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
