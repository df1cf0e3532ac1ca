"""Check running text and comments: directives, and mathematics.

Mathematics in running text must be a formula, because no check reads it otherwise.
"""

import re
from collections.abc import Iterator

from mathml.source import blanked

from ..finding import Finding
from ..page import BIBLIOGRAPHY, DIRECTIVES, Page
from .findings import finding

_DIRECTIVE_LIKE = re.compile(r"\s*(?:[\w-]+\s*(?::|\Z)|(?P<key>\w+)\b)")
_UNREAD = re.compile(
    r"\A---\n.*?\n---\n"
    r"|!\[(?:[^\[\]]|\[[^\[\]]*\])*\]\([^)]{,500}\)"  # figures are checked
    r"|(?<=\])\([^)\s]{,500}\)|\{[^\S\n]*[#.][^{}\n]*\}|</?(?:span|div)\b[^<>\n]*>"
    r"|&[\w#]+;|\\\||\bC\+\+|^[ \t]*-+8<-+.*?$|^[ \t]*+(?:\|?[-:| \t]+\||={3}|>[^\n]*)",
    re.MULTILINE | re.DOTALL,
)
"""Markup, addresses and quotations, which are no running text."""
_MATHEMATICS = re.compile(
    r"[=<>^~\\²³¹⁰-₎ⁿˣᵀ√∂∇∞∈∉∑∏∫≈≡≠≤≥⊙⟨⟩·⋅±∓→↦′″‖Α-ωϵ\U0001D400-\U0001D7FF]"
    r"|−(?![\d½¼¾])|(?<=\w)−|(?<=\w)[*/](?=\d)|(?<=\w)\+|\+(?=\w)"
    # A symbol, also behind a factor; no ordinal, exponent, initial or abbreviation.
    r"|(?<![\w.'’-])(?:[b-z]|[B-HJ-Z](?!\.))(?![\w'’-]|\.\w)"
    r"|(?<![\w.])\d+(?!(?:st|nd|rd|th|e[-+]?\d+)\b)[^\W\d]"
)
_RELATION = re.compile(r"(?<!:)=|[<>≈≡≠≤≥∈∉]")
"""A relation in a heading, which can have no formula."""
_SPLIT = re.compile(
    r"\d(?:[*_~]+|<[^<>]*>|&#?\w+;)+\d|&#\w+;"
    r"|[\u2150-\u218b\u2460-\u24ff\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Text that readers see as another number than the checks do."""
_WRITE = "write mathematics as a formula, $x^2 \\ge 0$, and code as `code`"


def check(page: Page) -> Iterator[Finding]:
    """Check the running text and the comments of a page."""
    yield from _directives(page)
    shown = blanked(blanked(page.without_fences, page.codes), page.formulas)
    for match in _SPLIT.finditer(shown):
        detail = "readers see another text; write it plainly"
        yield finding(page, match.start(), repr(match[0]), detail)
    if not page.is_generated and page.path.name != BIBLIOGRAPHY:
        yield from _mathematics(page)


def _directives(page: Page) -> Iterator[Finding]:
    """Check that comments for the checks can be understood."""
    starts = set()
    for key, value, comment in page.directives:
        starts.add(comment.start)
        for name in re.split(r"[,\s]+", value) if key == "proof" else ():
            if not page.find_file(name):
                yield finding(page, comment.start, name or comment.text, "no such file")
    for comment in page.comments:
        match = _DIRECTIVE_LIKE.match(comment.text)
        if comment.start in starts or not match:
            continue
        if not match["key"] or match["key"].lower() in DIRECTIVES:
            detail = f"the checks know {', '.join(DIRECTIVES)}, each with a colon"
            yield finding(page, comment.start, comment.text, detail)


def _mathematics(page: Page) -> Iterator[Finding]:
    """Find mathematics outside of formulas."""
    text = _UNREAD.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), page.prose)
    for line in re.finditer(r".+", text):
        pattern = _RELATION if line[0].startswith("#") else _MATHEMATICS
        if match := pattern.search(line[0]):
            start = page.text.rfind("\n", 0, line.start() + 1) + 1
            written = page.text[start:].partition("\n")[0]
            yield finding(page, line.start() + match.start(), written, _WRITE)
    for code in page.codes:
        if not code.text.isascii() and re.search(r"[²³√∂∇≈≠≤≥·×⁻α-ω]", code.text):
            yield finding(page, code.start, code.text, _WRITE)
