"""The text of a trace: what of a program's output belongs to it."""

import re

NOT_NOISE = "\x1a"
"""Put before a line of Python's own that looks like noise."""

# The two lines that locate a frame inside an exception's message.
_FRAME = re.compile(r'\s*File "[^"\n]*", line \d+, in .*')
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def without_noise(output: str, noise: re.Pattern) -> str:
    """The lines of ``output`` that are not another program's log."""
    return "".join(
        line.removeprefix(NOT_NOISE) for line in output.splitlines(keepends=True)
        if not noise.match(line))


def without_frames(message: str) -> str:
    """An exception's message without the lines that name files and frames."""
    kept, skip = [], False
    for line in message.split("\n"):
        frame = _FRAME.fullmatch(line) is not None
        if not frame and not skip:
            kept.append(line.rstrip())
        skip = frame
    return "\n".join(kept)


def ended(text: str) -> str:
    """``text`` with its last line ended."""
    return text if not text or text.endswith("\n") else text + "\n"


def unshowable(trace: str) -> str | None:
    """Why a page would not show this trace as it is, or None."""
    if not trace.strip():
        return "printed nothing; a snippet prints a trace"
    for number, line in enumerate(trace.split("\n"), 1):
        where = f"line {number} of its output"
        if control := _CONTROL.search(line):
            return f"{where} holds the control character {control[0]!r}"
        if line != line.rstrip():
            return f"{where} ends in a space"
        if "8<-" in line:
            return f"{where} looks like an include, which a page would obey"
    return None
