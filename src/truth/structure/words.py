"""What running text and comments must not be: mathematics that no check reads, a
directive that none knows, a way to another page than the next."""

import re
from collections.abc import Iterator
from pathlib import Path

from mathml.source import blanked

from ..finding import Finding
from ..menu import menu
from ..page import BIBLIOGRAPHY, DIRECTIVES, Page
from .said import refused

_NEXT = re.compile(r"^[ \t]*\W{,2}Next\W{1,3}\s+(?P<rest>\S(?:.+\n?)*)", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)#\s]*)[^)]*\)")
_DIRECTIVE_LIKE = re.compile(r"\s*(?:[\w-]+\s*(?::|\Z)|(?P<key>\w+)\b)")
_UNREAD = re.compile(
    r"\A---\n.*?\n---\n"
    r"|!\[(?:[^\[\]]|\[[^\]]*\])*\]\([^)]*\)"  # of which figures are checked
    r"|(?<=\])\([^)\s]*\)|\{[^\S\n]*[#.][^}\n]*\}|</?[a-z][^>\n]*>|&[\w#]+;|\\\|"
    r"|\bC\+\+|^[ \t]*-+8<-+.*?$|^[ \t]*(?:\|?[-:| \t]+\||={3}|>)",
    re.MULTILINE | re.DOTALL,
)
"""Marks and addresses; what hides others comes first."""
_MATHEMATICS = re.compile(
    r"[=<>^~\\²³¹⁰-₎ⁿˣᵀ√∂∇∞∈∉∑∏∫≈≡≠≤≥⊙⟨⟩·⋅±∓→↦′″‖Α-ωϵ\U0001D400-\U0001D7FF]"
    r"|−(?![\d½¼¾])|(?<=\w)−|(?<=\w)[*/](?=\d)|(?<=\w)\+|\+(?=\w)"
    # A symbol, also behind a factor; no ordinal, exponent, initial or abbreviation.
    r"|(?<![\w.'’-])(?:[b-z]|[B-HJ-Z](?!\.))(?![\w'’-]|\.\w)"
    r"|(?<![\w.])\d+(?!(?:st|nd|rd|th|e[-+]?\d+)\b)[^\W\d]"
)
_RELATION = re.compile(r"(?<!:)=|[<>≈≡≠≤≥∈∉]")
"""What makes a heading claim something: it can hold no formula."""
_WRITE = "write mathematics as a formula, $x^2 \\ge 0$, and code as `code`"


def check(page: Page, root: Path) -> Iterator[Finding]:
    yield from _next(page, root)
    yield from _directives(page)
    if not page.is_generated and page.path.name != BIBLIOGRAPHY:
        yield from _mathematics(page)


def _next(page: Page, root: Path) -> Iterator[Finding]:
    pages = [(page.settings.docs_dir / name).resolve() for name in menu(root)]
    after = dict(zip(pages, pages[1:])).get(page.path.resolve())
    for found in _NEXT.finditer(page.without_code):
        link = _LINK.search(found["rest"])
        if not link or (page.path.parent / link["target"]).resolve() != after:
            yield refused(
                page,
                found.start("rest"),
                found[0],
                f"in the menu, {after.name if after else 'no page'} is next",
            )


def _directives(page: Page) -> Iterator[Finding]:
    quoted = {quote.span[1] for _, quote in page.docstring_quotes}
    known = set()
    for key, said, comment in page.directives:
        known.add(comment.start)
        for name in re.split(r"[,\s]+", said) if key == "proof" else ():
            if not (path := page.find_file(name)) or not path.is_file():
                yield refused(page, comment.start, name or comment.text, "no such file")
        above = len(page.text[: comment.span[0]].rstrip())
        if key == "docstring" and above not in quoted:
            how = "write it right behind a span of code, a fence or a blockquote"
            yield refused(page, comment.start, comment.text, how)
    for comment in page.comments:
        found = _DIRECTIVE_LIKE.match(comment.text)
        if comment.start in known or not found:
            continue
        if not found["key"] or found["key"].lower() in DIRECTIVES:
            how = f"the checks know {', '.join(DIRECTIVES)}, each with a colon"
            yield refused(page, comment.start, comment.text, how)


def _mathematics(page: Page) -> Iterator[Finding]:
    quotes = sorted(
        (quote for _, quote in page.docstring_quotes), key=lambda quote: quote.span
    )
    text = _UNREAD.sub(
        lambda mark: re.sub(r"[^\n]", " ", mark[0]), blanked(page.prose, quotes)
    )
    for line in re.finditer(r".+", text):
        is_heading = line[0].startswith("#")
        if found := (_RELATION if is_heading else _MATHEMATICS).search(line[0]):
            start = page.text.rfind("\n", 0, line.start() + 1) + 1
            shown = page.text[start:].partition("\n")[0]
            yield refused(page, line.start() + found.start(), shown, _WRITE)
    for code in page.codes:
        if not code.text.isascii() and re.search(r"[²³√∂∇≈≠≤≥·×⁻α-ω]", code.text):
            yield refused(page, code.start, code.text, _WRITE)
