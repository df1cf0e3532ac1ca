r"""Whether a table says what the gradient of a call shows in each mode.

A comment above it names the call, ``<!-- modes: wrong/short.py: product(x, y) -->``,
and ``python -m truth.modes PAGE`` writes the table. It is compared with a run; no
other check reads it.

The program beside one in ``wrong/`` is its fix. It must give the same gradient in
every mode, for the same call or for the one after ``; fix:``; or the page has a table
of its modes, too. This is demanded where the comment names the fix, and else counted.
"""

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ..finding import Finding
from ..page import Page

_HEAD = "| Mode | What you see |\n| --- | --- |\n"


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [finding for page in pages for finding in _findings(page)]


def _findings(page: Page) -> Iterator[Finding]:
    shown = {(page.named(each["program"]), each["call"]) for each in page.modes}
    for each in page.modes:
        state, how = "compared", each["program"]
        try:
            if each["table"].strip() != table(page, each).strip():
                state, how = "failed", f"a run shows another: {COMMAND} {page.shown}"
            elif (fix := _fix(page, each)) and fix not in shown:
                state, how = _held(*fix)
                if state == "failed" and not each["fix"]:
                    state = "unchecked"
        except (OSError, ValueError) as error:
            state, how = "failed", str(error)
        where = page.where(each.start())
        yield Finding("mode", state, page.shown, where, each["call"], how)


def _asked(page: Page, program: str, call: str) -> tuple[Path, str]:
    path = page.named(program)
    if path is None:
        raise ValueError(f"{program} is not there")
    return path, call


def _fix(page: Page, said: re.Match) -> tuple[Path, str] | None:
    """The program that fixes a wrong one, and its call."""
    program, _ = _asked(page, said["program"], said["call"])
    if said["fixed"]:
        return _asked(page, said["fixed"], said["fix"])
    beside = program.parent.parent / program.name
    if program.parent.name == "wrong" and beside.is_file():
        return beside, said["fix"] or said["call"]
    if said["fix"]:
        raise ValueError(f"no program beside {said['program']} has the fix")
    return None


def _held(program: Path, call: str) -> tuple[str, str]:
    """Whether a fix gives the same gradient in every mode."""
    try:
        shown = _seen(program, call)
    except ValueError as error:
        return "unchecked", f"{error}; name the call of the fix: ; fix: CALL -->"
    modes: dict[str, list[str]] = {}
    for mode, text in shown.items():
        modes.setdefault(text, []).append(mode)
    first, *others = modes
    if others or _RAISED.match(first):
        said = "; ".join(f"{', '.join(at)}: {text}" for text, at in modes.items())
        return "failed", f"the fix {program.name} isn't one in every mode: {said}"
    return "compared", program.name


_RAISED = re.compile(r"\w+(?:Error|Exception|Warning)\b")


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drop what is printed meanwhile, also by C++."""
    streams = [os.dup(number) for number in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(nowhere, number)
        yield
    finally:
        sys.stdout.flush()
        for number, stream in zip((1, 2), streams):
            os.dup2(stream, number)
            os.close(stream)
        os.close(nowhere)


def _seen(program: Path, call: str) -> dict[str, str]:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with silence():
        from .seen import seen  # imports TensorFlow

        return seen(program, call)


COMMAND = "python -m truth.modes"


def written(page: Page) -> str:
    """The page with its tables made anew."""
    text = page.source
    for each in reversed(page.modes):
        start, end = each.span("table")
        text = f"{text[:start]}\n{table(page, each)}\n{text[end:].lstrip()}"
    return text


def table(page: Page, said: re.Match) -> str:
    """Of modes that show the same, one row."""
    shown = _seen(*_asked(page, said["program"], said["call"]))
    rows: dict[str, list[str]] = {}
    for mode, text in shown.items():
        rows.setdefault(text, []).append(mode)
    return _HEAD + "".join(
        f"| {', '.join(modes)} | {in_table(text)} |\n" for text, modes in rows.items()
    )


def code(text: str) -> str:
    marks = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{marks}{space}{text}{space}{marks}"


def in_table(text: str) -> str:
    """A span of code in a row."""
    return code(text).replace("|", r"\|")
