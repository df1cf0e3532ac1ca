"""Messages that a page quotes come from a program that printed them.

A message, see ``is_message``, stands in a trace that its page embeds, or in
one that a comment of its block names: ``<!-- proof: NAME.out -->``. White space
does not count, and an ellipsis leaves something out.

What is marked by ``<!-- docstring: tf.custom_gradient -->``, the blockquote, the
fence or the span right before it, is compared with the installed text.
"""

import ast
import importlib
import inspect
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from .finding import Finding
from .page import Page

_MODULES = {"tf": "tensorflow", "np": "numpy"}
_API = re.compile(
    r"@?(?:tf|keras|np|sys|os|math"
    r"|tape|accumulator|optimizer|layer|model|variable)\."
)
_COMMAND = re.compile(r"(?:\S*/)?(?:python3?|make|git|pip|pytest|sh|uv|py)\s")
_EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Interrupt)\b")
_RAISED = re.compile(r"[A-Za-z_.]*(?:Error|Exception|Warning)\b: ")
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.)\s*")


def is_message(text: str) -> bool:
    """Whether a span quotes a message: an exception, or four words, no code."""
    if _EXCEPTION.search(text):
        return not _API.match(text) or bool(_RAISED.match(text))
    return len(text.split()) >= 4 and not _is_code(text)


def _is_code(text: str) -> bool:
    """Whether a span is Python, a type or a command, however many its words."""
    if "::" in text or _COMMAND.match(text):
        return True
    return any(
        _parses(form.format(text.strip()))
        for form in ("{}", "{}: pass", "{}\n    pass")
    )


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [
        finding
        for page in pages
        if not page.is_generated
        for finding in (*_messages(page, root), *_docstrings(page))
    ]


def _messages(page: Page, root: Path) -> Iterator[Finding]:
    embedded = [*page.included_files(".out"), *page.included_files(".md")]  # tables
    for parts, start in quoted(page):
        named = [
            path
            for said in page.directive_values("proof", start)
            for name in re.split(r"[,\s]+", said)
            if name.endswith(".out") and (path := page.find_file(name))
        ]
        traces = list(dict.fromkeys([*named, *embedded]))
        state, how = _judge(parts, traces)
        yield Finding(
            "error",
            state,
            page.label,
            page.location(start),
            " … ".join(parts),
            how,
            next((str(t.relative_to(root)) for t in traces if t.name == how), ""),
        )


def quoted(page: Page) -> list[tuple[list[str], int]]:
    """Each message, in the parts that an ellipsis, also between spans, leaves."""
    marked = {piece.start for _, piece in page.docstring_quotes}
    found: list[tuple[list[str], int]] = []
    end = 0
    for code in page.codes:
        if not is_message(code.text) or code.start in marked:
            continue
        between = page.text[end : code.start].strip("` \n")
        if found and _ELLIPSIS.fullmatch(between):
            found[-1][0].extend(_parts(code.text))
        else:
            found.append((_parts(code.text), code.start))
        end = code.start + len(code.text)
    found += [
        (_parts(fence.text), fence.start)
        for fence in page.fences
        if _RAISED.match(fence.text.strip()) and fence.start not in marked
    ]
    return found


def _parts(text: str) -> list[str]:
    return [" ".join(part.split()) for part in _ELLIPSIS.split(text) if part.strip()]


def _pattern(parts: Iterable[str]) -> re.Pattern:
    """Whole words, in this order."""
    return re.compile(
        rf"(?:(?!{_RAISED.pattern}).)*?".join(
            (r"(?<!\w)" if part[0].isalnum() else "")
            + re.escape(part)
            + (r"(?!\w)" if part[-1].isalnum() else "")
            for part in parts
        )
    )


def _judge(parts: list[str], traces: list[Path]) -> tuple[str, str]:
    for trace in traces:
        if _pattern(parts).search(" ".join(trace.read_text("utf-8").split())):
            return "compared", trace.name
    return "failed", "no trace of the page has it"


def _docstrings(page: Page) -> Iterator[Finding]:
    for name, quote in page.docstring_quotes:
        installed_text = " ".join(_docstring(name).split())
        parts = _parts(quote.text)
        holds = parts and _pattern(parts).search(installed_text)
        yield Finding(
            "quote",
            "compared" if holds else "failed",
            page.label,
            page.location(quote.start),
            " ".join(quote.text.split()),
            f"the docstring of {name}" + ("" if holds else " does not say so"),
        )


@cache
def _docstring(name: str) -> str:
    """That of a dotted name in what is installed; empty if there is none."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    module, *attributes = name.split(".")
    try:
        thing: Any = importlib.import_module(_MODULES.get(module, module))
        for attribute in attributes:
            thing = getattr(thing, attribute)
    except (ImportError, AttributeError, ValueError):
        return ""
    return inspect.getdoc(thing) or ""
