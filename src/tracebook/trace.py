"""The text of a trace: what of a program's output belongs to it."""

import re

NOT_NOISE = "\x1a"
"""Put before a line of Python's own that looks like noise."""

# The lines that locate frames inside an exception's message, and the code there.
_FRAMES = re.compile(
    r'^(?:[^\S\n]*File "[^"\n]*", line \d+, in .*(?:\n|\Z))+.*\n?', re.MULTILINE
)
_UNDECODED = re.compile(r"[\udc80-\udcff]")
OBEYED = "looks like an include, which a page would obey"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def without_noise(output: str, noise: re.Pattern) -> str:
    """The lines of ``output`` that are not another program's log."""
    return "".join(
        line.removeprefix(NOT_NOISE)
        for line in output.splitlines(keepends=True)
        if not noise.match(line)
    )


def without_frames(message: str) -> str:
    """An exception's message without the lines that name files and frames."""
    return re.sub(r"[^\S\n]+$", "", _FRAMES.sub("", message), flags=re.MULTILINE)


def ended(text: str) -> str:
    """``text`` with its last line ended."""
    return text if not text or text.endswith("\n") else text + "\n"


def unshowable(trace: str) -> str | None:
    """Why a page would not show this trace as it is, or None."""
    if not trace.strip():
        return "printed nothing; a snippet prints a trace"
    for number, line in enumerate(trace.split("\n"), 1):
        where = f"line {number} of its output"
        if _UNDECODED.search(line):
            return f"printed invalid UTF-8 in {where}"
        if control := _CONTROL.search(line):
            return f"{where} holds the control character {control[0]!r}"
        if line != line.rstrip():
            return f"{where} ends in a space"
        if "8<-" in line:
            return f"{where} {OBEYED}"
    return None
