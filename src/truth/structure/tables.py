"""Rows of a table of maps or rules: what their formulas say together is said together.

Such a table has a column of that name, and repeats what was derived. Each formula of
a row that is more than a symbol is a side of one in the same part of the page, between
two headings or ``% premise``, or of the page or section that the row links to; and
what stands on the other side of it there has the symbols of the row.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from markdown.extensions.toc import slugify

from ..finding import Finding
from ..formulas.latex import LatexError, Node, Statement, marks, parse
from ..formulas.tree import Tree, bare
from ..formulas.tree import symbols as symbols_of
from ..page import Page
from .said import refused, said

_HEADER = re.compile(r"\b(?:map|rule)s?\b", re.IGNORECASE)
_LINK = re.compile(
    r"\[(?P<text>[^\]]*)\]\((?P<page>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)"
)
_EMPTY_CELL = re.compile(r"\|\s*\|")
_WORD = re.compile(r"\w{3,}")
_OWN_ANCHOR = re.compile(r"\{ #([\w-]+)")


def check(page: Page, root: Path) -> Iterator[Finding]:
    links: list[re.Match] = []
    for row in page.blocks:
        if not _HEADER.search(row.header) or row.start == row.table:
            continue
        text = page.text[row.start : row.end]
        if not _EMPTY_CELL.match(text.strip()):
            links = list(_LINK.finditer(text))
        formulas = [f for f in page.formulas if row.start <= f.start < row.end]
        try:
            read = [each for f in formulas for each in _statements(f.text)]
        except LatexError as error:
            yield refused(page, row.start, text, f"a formula is not read: {error}")
            continue
        if any(not _is_symbol(each) for each in read):
            yield _judge(page, row.start, text, read, links)


def _judge(
    page: Page, at: int, text: str, read: list[Statement], links: list[re.Match]
) -> Finding:
    whole = [each for each in read if not _is_symbol(each)]
    symbols = [each.sides[0] for each in read if _is_symbol(each)]
    if not links and len(whole) < 2:
        return refused(page, at, text, "link the row to the section that derives it")
    homes: list[re.Match | None] = [*links] or [None]
    for link in homes:
        for name, part in _parts(page, link):
            if all(_is_in(each, symbols, part) for each in whole):
                return said(page, at, "tied", text, name)
    return refused(
        page, at, text, "no part of the page, or of what the row links to, says this"
    )


def _statements(tex: str) -> list[Statement]:
    """Also of what states nothing: one side each."""
    try:
        return parse(tex)
    except LatexError:
        [one] = parse(f"{tex} = 0")
        return [Statement((), one.sides[:1], one.position)]


def _is_symbol(statement: Statement) -> bool:
    """A gradient is more: that of an output is the rule of a sum."""
    side = statement.sides[0]
    return (
        len(statement.sides) == 1
        and bare(side).kind in ("symbol", "d")
        and side.kind != "role"
    )


def _is_in(one: Statement, symbols: list[Node], part: list[Statement]) -> bool:
    """Whether a part says it, of these symbols."""
    wanted = [_plain(side) for side in one.sides]
    for each in part:
        sides = [_plain(side) for side in each.sides]
        if not all(side in sides for side in wanted):
            continue
        left = each.sides[0]
        is_rule = left.kind == "role" and sides[0] not in wanted
        named = _names(left) if is_rule else set().union(*map(_names, part))
        if all(_names(symbol) <= named for symbol in symbols):
            return True
    return False


def _names(tree: Tree) -> set[str]:
    """Symbols, and the letters of their indices."""
    return {
        name
        for symbol in symbols_of(tree)
        for name in (symbol.parts[0], *(letter for letter, _ in symbol.parts[1]))
    }


def _plain(node: object) -> object:
    """The same, without parentheses that only group, and without positions."""
    if isinstance(node, Statement):
        return _plain((node.relations, node.sides))
    if isinstance(node, Node):
        grouped = node.kind == "group"
        return _plain(node.parts[-1] if grouped else (node.kind, node.parts))
    return tuple(map(_plain, node)) if isinstance(node, tuple) else node


def _parts(page: Page, link: re.Match | None) -> list[tuple[str, list[Statement]]]:
    """The heading and the formulas of each part of what a link leads to, or else of
    the page; of another heading than its text names, none."""
    start, end = 0, len(page.text)
    if link and link["page"]:
        path = (page.path.parent / link["page"]).resolve()
        if not path.is_file():
            return []
        page, end = Page(path, page.root), sys.maxsize
    if link:
        heading = next(
            (
                each
                for each in page.headings
                if not link["anchor"] or link["anchor"] == _anchor(each[2])
            ),
            None,
        )
        words = {word[:3] for word in _WORD.findall(link["text"].lower())}
        if heading is None or not any(
            word.startswith(tuple(words)) for word in _WORD.findall(heading[2].lower())
        ):
            return []
        if link["anchor"]:
            start, end = page.section(heading[0], heading[1])
    return [
        (name, statements)
        for at, name, statements in _all_parts(page)
        if start <= at < end
    ]


def _anchor(title: str) -> str:
    """Its own, or that of its words."""
    own = _OWN_ANCHOR.search(title)
    return own[1] if own else slugify(title, "-")


def _all_parts(page: Page) -> list[tuple[int, str, list[Statement]]]:
    """Where each part begins, the heading above it, and its formulas outside of
    tables."""
    rows = [(row.start, row.end) for row in page.blocks if row.header]
    parts: list[tuple[int, str, list[Statement]]] = [(0, "", [])]
    titles = {at: title for at, _, title in page.headings}
    formulas = {each.start: each for each in page.formulas}
    for at in sorted([*titles, *formulas]):
        if at in titles:
            parts.append((at, titles[at], []))
        elif not any(start <= at < end for start, end in rows):
            if "premise" in marks(formulas[at].text):
                parts.append((at, parts[-1][1], []))
            with suppress(LatexError):
                parts[-1][2].extend(_statements(formulas[at].text))
    return parts
