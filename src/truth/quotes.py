"""Check that the messages that a page quotes are what was printed.

A message must stand in an output that its page includes, or in one that a comment of
its block names: ``<!-- proof: NAME.out -->``. White space doesn't count, and an
ellipsis stands for omitted text.
"""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress

from .finding import Finding
from .page import Page

_API = re.compile(
    r"@?(?:tf|keras|np|sys|os|math"
    r"|tape|accumulator|optimizer|layer|model|variable)\."
)
_COMMAND = re.compile(r"(?:\S*/)?(?:python3?|make|git|pip|pytest|sh|uv|py)\s")
_EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Interrupt)\b")
_RAISED = re.compile(r"[A-Za-z_.]*(?:Error|Exception|Warning)\b: ")
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.)\s*")


def is_message(text: str) -> bool:
    """Return whether a span of code quotes a message: it names an exception, or has
    four words and isn't code."""
    if _EXCEPTION.search(text):
        return not _API.match(text) or bool(_RAISED.match(text))
    return len(text.split()) >= 4 and not _is_code(text)


def _is_code(text: str) -> bool:
    """Return whether a span is Python, a type or a command."""
    if "::" in text or _COMMAND.match(text):
        return True
    for end in ("", ": pass", "\n    pass"):
        with suppress(SyntaxError):
            ast.parse(text.strip() + end)
            return True
    return False


def check(page: Page) -> list[Finding]:
    """Compare the messages that a page quotes with its outputs."""
    return [] if page.is_generated else [*_messages(page)]


def _messages(page: Page) -> Iterator[Finding]:
    included = [*page.included_files(".out"), *page.included_files(".md")]  # tables
    for parts, start in find_messages(page):
        proofs = [path for path in page.proofs(start) if path.suffix == ".out"]
        state, detail = "failed", "no output of the page has it"
        for path in (*proofs, *included):
            if _pattern(parts).search(" ".join(page.read_text(path).split())):
                state, detail = "compared", path.name
                break
        yield Finding("error", state, page.location(start), " … ".join(parts), detail)


def find_messages(page: Page) -> list[tuple[list[str], int]]:
    """Return the parts of each quoted message between ellipses, and its offset.

    An ellipsis may also stand between two spans of code.
    """
    messages: list[tuple[list[str], int]] = []
    end = 0
    for code in page.codes:
        if not is_message(code.text):
            continue
        between = page.text[end : code.start].strip("` \n")
        if messages and _ELLIPSIS.fullmatch(between):
            messages[-1][0].extend(_parts(code.text))
        else:
            messages.append((_parts(code.text), code.start))
        end = code.start + len(code.text)
    messages += [
        (_parts(fence.text), fence.start)
        for fence in page.fences
        if _RAISED.match(fence.text.strip())
    ]
    return messages


def _parts(text: str) -> list[str]:
    return [" ".join(part.split()) for part in _ELLIPSIS.split(text) if part.strip()]


def _pattern(parts: list[str]) -> re.Pattern[str]:
    """Return a pattern for the parts as whole words, in order, within one message."""
    return re.compile(
        rf"(?:(?!{_RAISED.pattern}).)*?".join(
            (r"(?<!\w)" if part[0].isalnum() else "")
            + re.escape(part)
            + (r"(?!\w)" if part[-1].isalnum() else "")
            for part in parts
        )
    )
