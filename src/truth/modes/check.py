r"""Whether a table says what the gradient of a call shows in each mode.

A comment above it names the call, ``<!-- modes: wrong/short.py: product(x, y) -->``,
and ``python -m truth.modes PAGE`` writes the table. It is compared with a run; no
other check reads it.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..finding import Finding
from ..page import Page

_HEAD = "| Mode | What you see |\n| --- | --- |\n"


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [finding for page in pages for finding in _findings(page)]


def _findings(page: Page) -> Iterator[Finding]:
    for each in page.modes:
        state, how = "compared", each["program"]
        try:
            if each["table"].strip() != table(page, each).strip():
                state, how = "failed", f"a run shows another: {COMMAND} {page.shown}"
        except (OSError, ValueError) as error:
            state, how = "failed", str(error)
        where = page.where(each.start())
        yield Finding("mode", state, page.shown, where, each["call"], how)


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
    from ..statements.check import silence
    from .seen import seen  # imports TensorFlow

    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    program = page.named(said["program"])
    if program is None:
        raise ValueError(f"{said['program']} is not there")
    with silence():
        shown = seen(program, said["call"])
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
