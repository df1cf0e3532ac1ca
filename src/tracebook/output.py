"""The output of a program: what belongs to it, and what a page can show."""

import re

from . import includes

NOT_NOISE = "\x1a"
"""The child puts this before a line of Python's own streams that looks like noise."""
MISREAD = "looks like an include, or the end of a fence, or has an invisible character"

Printed = tuple[str, int]
"""A text of Python's streams, and the line of the program that printed it, or 0."""

# The lines that locate frames inside an exception's message, and the code there.
_FRAMES = re.compile(
    r'^(?:[^\S\n]*File "[^"\n]*", line \d+, in .*(?:\n|\Z))+.*\n?', re.MULTILINE
)
_UNDECODED = re.compile(r"[\udc80-\udcff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LINES, _COLUMNS = 20, 400
"""An excerpt has so many lines of the start and of the end, and so many columns."""


def without_noise(text: str, noise: re.Pattern) -> str:
    """Return the lines that aren't another program's log."""
    return "".join(
        line.removeprefix(NOT_NOISE)
        for line in text.splitlines(keepends=True)
        if not noise.match(line)
    )


def without_frames(message: str) -> str:
    """Return an exception's message without the lines that name files and frames."""
    return re.sub(r"[^\S\n]+$", "", _FRAMES.sub("", message), flags=re.MULTILINE)


def ended(text: str) -> str:
    """Return a text whose last line is ended."""
    return text if not text or text.endswith("\n") else text + "\n"


def excerpt(text: str) -> str:
    """Return the ends of a long text, and the beginnings of long lines, as Unicode."""
    lines = text.encode("utf-8", "backslashreplace").decode("utf-8").split("\n")
    if len(lines) > 2 * _LINES:
        lines[_LINES:-_LINES] = [f"    … {len(lines) - 2 * _LINES} lines …"]
    return "\n".join(
        line if len(line) <= _COLUMNS else f"{line[:_COLUMNS]} … {len(line)} characters"
        for line in lines
    )


def unshowable(output: str) -> str | None:
    """Return why a page would not show an output as it is, or None."""
    if not output.strip():
        return "printed nothing; a snippet prints an output"
    for number, line in enumerate(output.split("\n"), 1):
        location = f"line {number} of its output"
        if _UNDECODED.search(line):
            return f"printed invalid UTF-8 in {location}"
        if control := _CONTROL.search(line):
            return f"{location} holds the control character {control[0]!r}"
        if line != line.rstrip():
            return f"{location} ends in a space"
        if "8<-" in line or includes.misread(line):
            return f"{location} {MISREAD}"
    return None
