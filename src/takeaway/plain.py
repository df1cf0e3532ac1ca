"""A page in the Markdown that every reader knows: what only the site understands is
expanded, rewritten in plain form, or gone."""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from textwrap import dedent

from mathml.convert import expanded
from mathml.source import Source
from tracebook import includes
from tracebook.settings import SettingsError
from tracebook.snippet import declared

COLORS = {"upstream": "#c2570c", "local": "#2f6fd0", "downstream": "#16803f"}
"""Of the three factors, on a white and on a black ground."""

_ATTRIBUTE = r"(?:[.#][\w-]+|[\w-]+(?:=(?:\"[^\"\n]*\"|'[^'\n]*'|[\w-]+))?)"
_ATTRIBUTES = re.compile(
    rf" ?\{{:?[ \t]*(?P<all>{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*)\s*\}}"
)
_ID = re.compile(r"#([\w-]+)")
_DARK = re.compile(r"!\[(?:[^]]|\](?!\())*\]\([^()\s]*#only-dark\)\n?")
_TARGET = re.compile(r"\]\((?P<target>[^()\s]+)(?=\)|\s)")
_FOLD = re.compile(
    r"(?P<indent>[ ]*)(?:(?:!!!|\?\?\?\+?)[ ](?P<kind>[\w -]+?)|===[!+]?)"
    r"(?:[ ]+\"(?P<title>.*)\")?[ ]*"
)
_DEFINITION = re.compile(r"(?P<indent> *):   (?=\S)")
_ANCHOR = re.compile(r'((?:<a id="[\w-]+"></a>)?)(.*)')
_LANGUAGE = re.compile(r"[{\s.]*(?P<language>\w*)")
_ROW = re.compile(r"^[ ]*\|.*$", re.MULTILINE)


@dataclass(frozen=True)
class Code:
    """A block of code as a page shows it."""

    language: str
    text: str
    name: str = ""
    """The whole file that it is, below the folder of the programs; or none."""
    before: str = ""
    """What stands before each of its lines in Markdown."""
    declared: frozenset[str] = frozenset()
    """What a program says of itself, in comments that readers do not see."""


@dataclass(frozen=True)
class Place:
    """Where a page is, and how what it links to is named from where it is taken."""

    page: str
    """Below the folder of the pages."""
    address: Callable[[str], str]
    """Of a page or file, by its path below that folder, on the site."""
    site: str = ""
    """The address of the site; without one, links lead to neighbors."""
    notebooks: Collection[str] = ()
    """The pages to whose notebooks a link leads, where there is no address."""
    folder: str | None = None
    """Where what is taken stands, if that isn't beside the page."""

    def link(self, target: str) -> str:
        """What a target that is written on the page is, from elsewhere."""
        path, _, anchor = target.removesuffix("#only-light").partition("#")
        if re.match(r"[a-z]+:", path):
            return target
        beside = posixpath.dirname(self.page)
        there = posixpath.normpath(posixpath.join(beside, path)) if path else self.page
        end = f"#{anchor}" if anchor else ""
        if self.site:
            return self.beside(self.address(there)) + end
        if not path and self.folder is None:
            return end
        if there.endswith(".md"):
            return self.beside(there.removesuffix(".md") + self._suffix(there)) + end
        return self.beside(self.address(there)) + end

    def _suffix(self, there: str) -> str:
        return ".ipynb" if there in self.notebooks else ".md"

    def beside(self, there: str) -> str:
        """A file of the site, by its address there."""
        if self.site:
            return self.site + there
        here = posixpath.dirname(self.page) if self.folder is None else self.folder
        path = posixpath.relpath(there or ".", here or ".")
        return f"{path}/" if there.endswith("/") else path


def pieces(
    markdown: str,
    place: Place,
    programs: Callable[[str], str],
    colors: dict[str, str] | None = COLORS,
) -> Iterator[str | Code]:
    """The running text and the blocks of code of a page, in order.

    ``programs`` gives the file of a program or a trace. Without ``colors``, formulas
    keep the names of the three factors.
    """
    # Markdown expands tabs, too.
    markdown = _with_tables(markdown.expandtabs(4), programs)
    source = Source(_rewritten(Source(markdown), place, colors))
    fences = {source.line(fence.span[0]): fence for fence in source.fences}
    text = _Text()
    end = 0
    for number, line in enumerate(source.text.split("\n"), 1):
        if number <= end:
            continue
        if number in fences:
            fence = fences[number]
            end = source.line(fence.span[1])
            before = text.enter(line)
            yield text.taken()
            yield _code(line, fence.text, before, programs)
        else:
            text.add(line)
    yield text.taken()


def _with_tables(markdown: str, programs: Callable[[str], str]) -> str:
    """Put the tables that a page includes into its text."""
    lines = markdown.split("\n")
    for include in includes.find(markdown):
        if include.name.endswith(".md") and (text := programs(include.name)):
            lines[include.line - 1] = text.strip()
    return "\n".join(lines)


class _Text:
    """Lines of running text; what is folded or indented on the site is quoted."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open: list[tuple[int, str]] = []
        """Of each fold that holds the next line: its indent, and the mark."""
        self._last: list[tuple[int, str]] = []

    def taken(self) -> str:
        """What was added since the last time."""
        lines = [
            line
            for before, line in pairwise(["", *self._lines])
            if line.strip("> ") or before.strip("> ")
        ]
        self._lines, self._last = [], []
        return "\n".join(lines).rstrip("> \n")

    def enter(self, line: str) -> str:
        """Leave the folds that a line is not in; what stands before it then."""
        indent = len(line) - len(line.lstrip(" "))
        while self._open and indent < self._open[-1][0] + 4:
            self._open.pop()
        return self._mark()

    def add(self, line: str) -> None:
        if not line.strip():
            self._lines.append("")
            return
        self.enter(line)
        if fold := _FOLD.fullmatch(line):
            self._open.append((len(fold["indent"]), "> "))
            title = fold["title"]
            if title is None:
                title = (fold["kind"] or "").capitalize()
            if title:
                self._lines += [f"{self._mark()}**{title}**", self._mark().rstrip()]
        elif (definition := _DEFINITION.match(line)) and any(self._lines):
            self._name_the_term()
            self._open.append((len(definition["indent"]), ""))
            self._lines.append(self._mark() + line[definition.end() :])
        else:
            self._fill()
            self._lines.append(self._mark() + line[self._content() :])
        self._last = [*self._open]

    def _content(self) -> int:
        return self._open[-1][0] + 4 if self._open else 0

    def _mark(self) -> str:
        marks, at = "", 0
        for indent, mark in self._open:
            marks += " " * (indent - at) + mark
            at = indent + 4
        return marks

    def _fill(self) -> None:
        """An empty line does not end the quote that goes on below it."""
        at = len(self._lines)
        while self._open == self._last and at and not self._lines[at - 1]:
            at -= 1
            self._lines[at] = self._mark().rstrip()

    def _name_the_term(self) -> None:
        at = max(n for n, line in enumerate(self._lines) if line)
        anchor, term = _ANCHOR.fullmatch(self._lines[at]).groups()  # type: ignore[union-attr]
        self._lines[at] = f"{anchor}**{term}**"


def as_markdown(found: Iterable[str | Code], named: Callable[[Code], str]) -> str:
    """One text of the pieces; ``named`` is the line above a block of code."""
    parts = []
    for each in found:
        if isinstance(each, Code):
            name = named(each)
            ticks = "`" * max(3, 1 + _longest_ticks(each.text))
            lines = [name, ""] * bool(name)
            lines += [f"{ticks}{each.language}", *each.text.splitlines(), ticks]
            parts.append("\n".join((each.before + line).rstrip() for line in lines))
        elif each:
            parts.append(each)
    return "\n\n".join(parts) + "\n"


def _longest_ticks(text: str) -> int:
    return max(map(len, re.findall(r"^\s*(`+)", text, re.MULTILINE)), default=0)


def _code(line: str, body: str, before: str, programs: Callable[[str], str]) -> Code:
    language = _LANGUAGE.match(line.strip().strip("`~"))["language"]  # type: ignore[index]
    shown, name, said = [], "", frozenset[str]()
    included = {each.line: each for each in includes.find(body)}
    for number, each in enumerate(body.splitlines(), 1):
        if include := included.get(number):
            text = programs(include.name)
            shown += include.lines(text) or []
            if not include.section:
                name = include.name
                with suppress(SettingsError):  # which the engine reports
                    said = frozenset(declared(text, name))
        else:
            shown.append(each)
    text = "\n".join([*shown, ""])
    return Code(language, text if name else dedent(text), name, before, said)


def _rewritten(source: Source, place: Place, colors: dict[str, str] | None) -> str:
    """A page without comments and lists of attributes, with links that lead from
    where it is taken, and with formulas as any reader has them."""
    prose = source.prose
    edits = [(*_line_of(source, c.span), "") for c in source.comments]
    rows = [row.span() for row in _ROW.finditer(source.without_fences)]

    def in_row(span: tuple[int, int]) -> bool:
        return any(a <= span[0] < b for a, b in rows)

    for formula in source.formulas:
        tex = expanded(formula.text, colors)
        if in_row(formula.span):
            tex = re.sub(r"(\\?)\|", lambda m: r"\Vert " if m[1] else r"\vert ", tex)
        dollars = "$$" if formula.display else "$"
        edits.append((*formula.span, f"{dollars}{tex}{dollars}"))
    for code in source.codes:
        if in_row(code.span) and "|" in code.text:
            start, end = code.span
            shown = source.text[start:end]
            edits.append((start, end, shown.replace("|", r"\|")))
    dark = [found.span() for found in _DARK.finditer(prose)]
    edits += [(*span, "") for span in dark]
    for target in _TARGET.finditer(prose):
        if not any(a <= target.start() < b for a, b in dark):
            edits.append((*target.span("target"), place.link(target["target"])))
    for found in _ATTRIBUTES.finditer(prose):
        # Where code is blanked, what looks like a space may be its last backtick.
        begins = found.start() + (source.text[found.start()] not in " {")
        edits.append((begins, found.end(), ""))
        if anchor := _ID.search(found["all"]):
            start = source.text.rfind("\n", 0, found.start()) + 1
            start += len(re.match(r"[#\s]*", source.text[start:])[0])  # type: ignore[index]
            edits.append((start, start, f'<a id="{anchor[1]}"></a>'))
    text, end = [], 0
    for start, after, new in sorted(edits):
        text += [source.text[end:start], new]
        end = after
    return "".join([*text, source.text[end:]])


def _line_of(source: Source, span: tuple[int, int]) -> tuple[int, int]:
    """The whole line of what stands alone on it."""
    start = source.text.rfind("\n", 0, span[0]) + 1
    end = source.text.find("\n", span[1]) + 1 or len(source.text)
    alone = not (source.text[start : span[0]] + source.text[span[1] : end]).strip()
    return (start, end) if alone else span
