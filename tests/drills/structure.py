"""Mistakes in what stands where, and in figures: planted by a seed, and without a
look at what the checks read. Each is wrong by its making."""

import ast
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from truth.page import Page, all_pages
from truth.structure import check as structure

from .book import Book, Mistake, Tally
from .numbers import altered, refused

SAMPLE = 12
"""Of each kind, in a whole run."""
Change = tuple[int, int, str]
"""From where to where, and the text in its place."""
_FENCE = re.compile(r"^```\w+[^\n]*\n--8<-- \"(?P<name>[^\"]+)\"\n```\n", re.MULTILINE)
_NEXT = re.compile(r"^Next: [^\]]*\]\((?P<page>[^)#]+)", re.MULTILINE)
_CITED = re.compile(
    r"\[+(?P<names>[^\[\]]+?)[ ,]+(?P<year>\d{4})\]+\([^)]*bibliography"
)
_ENTRY = re.compile(r"(?<=, )(?P<year>(?:19|20)\d\d)\b")
_FIGURE = re.compile(r"!\[(?P<text>[^\]]{20,})\]\([^)]*\.svg")
_DRAWN = {"plot", "semilogy", "loglog", "semilogx", "step", "bar"}


def _traces_swapped(page: Page) -> Iterator[Change]:
    traces = [f for f in _FENCE.finditer(page.text) if f["name"].endswith(".out")]
    for one in traces:
        for other in traces:
            if one["name"] != other["name"]:
                yield *one.span("name"), other["name"]


def _before_its_program(page: Page) -> Iterator[Change]:
    fences = [*_FENCE.finditer(page.text)]
    for one, other in zip(fences, fences[1:]):
        if one["name"].replace(".py", ".out") == other["name"]:
            between = page.text[one.end() : other.start()]
            yield one.start(), other.end(), other[0] + between + one[0]


def _another_next(page: Page) -> Iterator[Change]:
    for found in _NEXT.finditer(page.text):
        for other in sorted(page.path.parent.glob("*.md")):
            if other.name not in (found["page"], page.path.name):
                yield *found.span("page"), other.name


def _cited(page: Page) -> Iterator[Change]:
    for found in _CITED.finditer(page.text):
        yield *found.span("year"), str(int(found["year"]) + 1)
        yield found.start("names"), found.start("names") + 1, "Q"


def _entries(page: Page) -> Iterator[Change]:
    if page.path.name == "bibliography.md":
        for found in _ENTRY.finditer(page.text):
            yield *found.span("year"), str(int(found["year"]) - 3)


def _typed(page: Page) -> Iterator[Change]:
    """A trace that no program printed, and mathematics that nothing reads."""
    for paragraph in re.finditer(r"\n\n(?=[A-Z][a-z])", page.without_fences):
        at = paragraph.end()
        yield at, at, "```\ngradient 17.0\n```\n\n"
        yield at, at, "Here ∂y/∂x = 2x holds. "
        yield at, at, "<!-- prove: 2 + 2 = -->\n"


def _described(page: Page) -> Iterator[Change]:
    """A word of a figure's text left out, or a digit changed."""
    for figure in _FIGURE.finditer(page.text):
        start = figure.start("text")
        for word in re.finditer(r"\w+", figure["text"]):
            new = str(int(word[0]) + 1) if word[0].isdecimal() else ""
            yield start + word.start(), start + word.end(), new


KINDS: dict[str, Callable[[Page], Iterator[Change]]] = {
    "a trace under another program": _traces_swapped,
    "a trace before its program": _before_its_program,
    "another page is next": _another_next,
    "a citation's name or year": _cited,
    "the year of an entry": _entries,
    "typed traces, mathematics, comments": _typed,
    "a figure's text": _described,
}
GOAL = {"a figure's text": 0.8}


def run(book: Book, tally: Tally, site: Path) -> None:
    chance = random.Random(tally.seed)
    pages = [page for page in all_pages(book.root) if not page.is_generated]
    for kind, changes in KINDS.items():
        tally.kind(kind, GOAL.get(kind, 0.95))
        every = [(page, change) for page in pages for change in changes(page)]
        for page, (start, end, new) in _sample(chance, every, tally):
            other = altered(page, page.text[:start] + new + page.text[end:])
            said = structure.check(other)
            tally.count(
                kind,
                f"{page.location(start)}: {page.text[start:end][:60]!r} → {new[:60]!r}",
                any(each.state == "failed" for each in said) or refused(other),
            )
    figures = [plant for path in _drawing(book) for plant in _redrawn(book, path)]
    for kind, mistake in _sample(chance, figures, tally):
        tally.kind(kind, 0.8)
        tally.judge(book, {kind: [mistake]})


def _sample(chance: random.Random, every: list, tally: Tally) -> list:
    return chance.sample(every, min(len(every), SAMPLE // (4 if tally.fast else 1)))


def _drawing(book: Book) -> list[Path]:
    return [each.path for each in book.snippets if "plt." in each.path.read_text()]


def _redrawn(book: Book, path: Path) -> Iterator[tuple[str, Mistake]]:
    """Data mirrored, a label that says more, a scale that is another."""
    source = path.read_text("utf-8")
    lines = [0]
    for line in source.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def replaced(node: ast.expr, new: str) -> Mistake:
        data = source.encode()
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        text = (data[:start] + new.encode() + data[end:]).decode()
        return Mistake(path, text, (book.shown(path.with_suffix("")),))

    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        method = node.func
        if method.attr in _DRAWN and len(node.args) > 1:
            drawn = ast.unparse(node.args[1])
            yield "data of a figure", replaced(node.args[1], f"-np.asarray({drawn})")
        if method.attr in {"semilogy", "loglog"}:
            other = f"{ast.unparse(method.value)}.plot"
            yield "a scale of a figure", replaced(method, other)
        at = {"set_title": 0, "set_xlabel": 0, "set_ylabel": 0, "text": 2}
        if method.attr in at and len(node.args) > at[method.attr]:
            word = node.args[at[method.attr]]
            yield "a label of a figure", replaced(word, f"f'{{{ast.unparse(word)}}}0'")
        for keyword in node.keywords:
            if keyword.arg == "label":
                new = f"str({ast.unparse(keyword.value)})[::-1]"
                yield "a label of a figure", replaced(keyword.value, new)
