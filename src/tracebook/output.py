"""The text of a trace: what of a program's output belongs to it."""

import ast
import re

from . import includes

NOT_NOISE = "\x1a"
"""Put before a line of Python's own that looks like noise."""

Printed = tuple[str, int]
"""A text, and the line of the program that printed it, or 0."""

# The lines that locate frames inside an exception's message, and the code there.
_FRAMES = re.compile(
    r'^(?:[^\S\n]*File "[^"\n]*", line \d+, in .*(?:\n|\Z))+.*\n?', re.MULTILINE
)
_UNDECODED = re.compile(r"[\udc80-\udcff]")
OBEYED = "looks like an include, or the end of a fence, which a page would obey"
_LINES, _COLUMNS = 20, 400
"""Of a text for a terminal: lines at its start and at its end, and their width."""
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


def lines_of(trace: str, printed: list[Printed], source: str) -> list[int]:
    """For each line of a trace the line of the source that printed it, or 0.

    What did not come through Python's streams, as from ``tf.print``, is known by the
    words in a call of that name; what has none, as a matrix's next row, is the last
    one's.
    """
    said: list[Printed] = []
    for text, line in printed:
        for part in text.splitlines(keepends=True):
            begun = said.pop()[0] if said and not said[-1][0].endswith("\n") else ""
            said.append((begun + part, line))
    said.reverse()
    prints = _prints(source)
    found: list[int] = []
    for each in trace.splitlines():
        if said and said[-1][0].rstrip("\n") == each:
            found.append(said.pop()[1])
            continue
        lines = {line for line, words in prints if words.search(each)}
        goes_on = found and each.lstrip().startswith("[")
        found.append(lines.pop() if len(lines) == 1 else found[-1] if goes_on else 0)
    return found


def _prints(source: str) -> list[tuple[int, re.Pattern[str]]]:
    """The calls of what is named ``print``: their lines, and their words in order."""
    found: list[tuple[int, re.Pattern[str]]] = []
    try:
        tree = ast.parse(source)
    except SyntaxError:  # which ended the program
        return found
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".print"):
            words = [
                each.value.strip()
                for argument in call.args
                for each in ast.walk(argument)
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
            if any(words):
                pattern = re.compile(".*".join(map(re.escape, words)))
                found.append((call.lineno, pattern))
    return found


def excerpt(text: str) -> str:
    """The beginnings of a text's first and last lines, if it is a long one."""
    lines = text.split("\n")
    if len(lines) > 2 * _LINES:
        left = f"    … {len(lines) - 2 * _LINES} lines …"
        lines[_LINES:-_LINES] = [left]
    return "\n".join(
        line if len(line) <= _COLUMNS else f"{line[:_COLUMNS]} … {len(line)} characters"
        for line in lines
    )


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
        if "8<-" in line or includes.misread(line):
            return f"{where} {OBEYED}"
    return None
