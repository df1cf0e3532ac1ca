"""Messages that a page quotes come from a program that printed them.

A message, see ``is_message``, stands in a trace that its page embeds, or in
one that a comment of its block names: ``<!-- proof: NAME.out -->``. White space
does not count, and an ellipsis leaves something out. Where the words before it
name a mode, ``tf.function``, ``tf.gradients`` or eager, the program, or the
function of it that the trace names before the message, has that mode.

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

from ..finding import Finding
from ..page import Page

_MODULES = {"tf": "tensorflow", "np": "numpy"}
_API = re.compile(
    r"@?(?:tf|keras|np|sys|os|math"
    r"|tape|accumulator|optimizer|layer|model|variable)\."
)
_COMMAND = re.compile(r"(?:\S*/)?(?:python3?|make|git|pip|pytest|sh|uv|py)\s")
_EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Interrupt)\b")
_RAISED = re.compile(r"[A-Za-z_.]*(?:Error|Exception|Warning)\b: ")
_NO_PIPE = re.compile(r"`[^`]*`|\\.")
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.)\s*")
_NEAR = 60
"""Characters before a message in which a trace may name its mode."""
MODES = {
    "tf.gradients": re.compile(r"\btf\.gradients\b"),
    "tf.function": re.compile(r"\btf\.function\b|\bin a graph\b|\bgraph mode\b"),
    "eager": re.compile(r"\b[Ee]ager(?:ly)?\b"),
}
"""The modes of TensorFlow, and the words by which prose claims them."""


def is_message(text: str) -> bool:
    """Whether a span quotes a message: an exception, or four words, no code."""
    if _EXCEPTION.search(text):
        return not _API.match(text)
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
    embedded = page.embedded(".out")
    for parts, start in quoted(page):
        named = [
            path
            for said in page.says("proof", start)
            for name in re.split(r"[,\s]+", said)
            if name.endswith(".out") and (path := page.named(name))
        ]
        traces = list(dict.fromkeys([*named, *embedded]))
        state, how = _judge(parts, claimed_modes(page, start), traces)
        yield Finding(
            "error",
            state,
            page.shown,
            page.where(start),
            " … ".join(parts),
            how,
            next((str(t.relative_to(root)) for t in traces if t.name == how), ""),
        )


def quoted(page: Page) -> list[tuple[list[str], int]]:
    """Each message, in the parts that an ellipsis, also between spans, leaves."""
    marked = {piece.start for _, piece in page.quotes}
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
        ".*?".join(
            (r"(?<!\w)" if part[0].isalnum() else "")
            + re.escape(part)
            + (r"(?!\w)" if part[-1].isalnum() else "")
            for part in parts
        )
    )


def claimed_modes(page: Page, at: int) -> set[str]:
    """The modes that the sentence names, or else the nearest before it; of a table,
    the head of the column."""

    def named(text: str) -> set[str]:
        return {mode for mode, words in MODES.items() if words.search(text)}

    for sentence in reversed(page.sentences(at)):
        if modes := named(sentence):
            return modes
    block = page.block(at)
    if not (block and block.header):
        return set()
    cells = _cells(block.header)
    column = len(_cells(page.text[block.start : at].strip())) - 1
    return named(cells[column]) if column < len(cells) else set()


def _cells(row: str) -> list[str]:
    """What stands between the pipes of a row that are neither escaped nor code."""
    held = _NO_PIPE.sub(lambda found: " " * len(found[0]), row)
    ends = [n for n, letter in enumerate(held) if letter == "|"]
    return [row[a + 1 : b] for a, b in zip([-1, *ends], [*ends, len(row)])]


def _judge(parts: list[str], modes: set[str], traces: list[Path]) -> tuple[str, str]:
    shown: set[str] = set()
    printed_by = ""
    for trace in traces:
        text = " ".join(trace.read_text("utf-8").split())
        for found in _pattern(parts).finditer(text):
            printed_by = trace.name
            shown |= _modes_at(trace.with_suffix(".py"), text[: found.start()])
    if not printed_by:
        return "failed", "no trace of the page has it"
    if not modes <= shown:
        return "failed", (
            f"{printed_by} has it, but not with {' and '.join(sorted(modes - shown))}"
        )
    return "compared", printed_by


def _modes_at(program: Path, before: str) -> set[str]:
    """The modes in which a program prints what follows ``before``."""
    by_function = _modes(program)
    said = [
        (found.end(), mode)
        for mode, words in MODES.items()
        for found in words.finditer(before[-_NEAR:])
    ]
    if said:
        return {max(said)[1]}
    named = [word for word in re.findall(r"\w+", before) if by_function.get(word)]
    return by_function[named[-1]] if named else by_function[""]


@cache
def _modes(program: Path) -> dict[str, set[str]]:
    """The modes of each function, and of the whole program under no name."""
    try:
        tree = ast.parse(program.read_text("utf-8"))
    except (OSError, SyntaxError):  # wrong on purpose
        return {"": set()}
    found = {
        node.name: _modes_in(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    return {**found, "": _modes_in(tree)}


def _modes_in(tree: ast.AST) -> set[str]:
    used = {
        ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)
    }
    modes = {"tf.function", "tf.gradients"} & used
    if not modes and (isinstance(tree, ast.Module) or "tf.GradientTape" in used):
        modes = {"eager"}
    return modes


def _docstrings(page: Page) -> Iterator[Finding]:
    for name, quote in page.quotes:
        installed_text = " ".join(_docstring(name).split())
        holds = _pattern(_parts(quote.text)).search(installed_text)
        yield Finding(
            "quote",
            "compared" if holds else "failed",
            page.shown,
            page.where(quote.start),
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
    except (ImportError, AttributeError):
        return ""
    return inspect.getdoc(thing) or ""
