"""Programs, each with its own trace below it, and what else stands in fences."""

import re
from collections.abc import Iterator
from pathlib import Path

from mathml.source import Piece

from ..finding import Finding
from ..page import Page
from .said import refused

PRINTS = "prints"
"""The title of a trace."""
_CODE = ("python", "sh")
"""Languages of what is run or looked up; what has another might be output."""
_LANGUAGE = re.compile(r"[`~]+\s*(?:\{\s*\.?)?(?P<language>\w*)")
_TITLE = re.compile(r"""\btitle=(?P<mark>["']?)(?P<title>.*?)(?P=mark)(?=[\s}]|\Z)""")
_TYPE = re.compile(r"\w+ +:: .*→.*")
_NO_TRACE = "its trace does not stand below it, before another program or heading"
_UNTIED = (
    "no trace of the page has these lines; include one. A type has lines like"
    " 'grad :: upstream(y) → downstream(x)', and other text names the test that reads"
    " it: <!-- proof: tests/NAME.py -->"
)


def check(page: Page, root: Path) -> Iterator[Finding]:
    yield from _pairs(page)
    included = {each.start: each.name for each in page.includes}
    for fence in page.fences:
        inside = [at for at in included if fence.start <= at < fence.span[1]]
        names = [included.pop(at) for at in inside]
        if records := [name for name in names if _is_record(name)]:
            yield refused(page, fence.start, records[0], "a table stands in no fence")
        else:
            yield from _shows(page, fence, names) if names else _types(page, fence)
    for at, name in included.items():
        if not _is_record(name):
            yield refused(page, at, name, "an include stands in a fence")
    for code in page.codes:  # some are shown as a block, and none is read as one
        if page.text.startswith("```", code.span[0]) and "\n" in code.text:
            yield refused(page, code.start, code.text, "a fence has lines of its own")


def _is_record(name: str) -> bool:
    """Return whether an include names a table that a run fills."""
    return name.startswith("tables/") and name.endswith(".md")


def _pairs(page: Page) -> Iterator[Finding]:
    """Each program is followed by its trace within its section."""
    above, waiting = ("", (0, 0)), -1
    for each in page.includes:
        if _is_record(each.name):
            continue
        stem, _, kind = each.name.rpartition(".")
        this = (stem, page.section_bounds(each.start, 6))
        if kind == "out" and this == above:
            waiting = -1
        elif kind == "out":
            program = f"{above[0]}.py" if above[0] else "none"
            how = f"the trace of {stem}.py; the program above it is {program}"
            yield refused(page, each.start, each.name, how)
        elif this != above:
            if waiting >= 0:
                yield refused(page, waiting, f"{above[0]}.py", _NO_TRACE)
            above, waiting = this, each.start
    if waiting >= 0:
        yield refused(page, waiting, f"{above[0]}.py", _NO_TRACE)


def _shows(page: Page, fence: Piece, names: list[str]) -> Iterator[Finding]:
    """It says which file of the page it shows, and shows nothing else."""
    head = page.text[fence.span[0] : fence.start].strip()
    own = page.path.relative_to(page.settings.docs_dir).with_suffix("").as_posix()
    name = names[0]
    is_trace = name.endswith(".out")
    title = PRINTS if is_trace else name.removeprefix(f"{own}/")
    is_wrong = not is_trace and "wrong" in name.split("/")
    if sum(bool(line.strip()) for line in fence.text.splitlines()) > len(names):
        yield refused(page, fence.start, name, "what is typed beside it never ran")
    if _title(head) != title:
        yield refused(page, fence.span[0], head, f'its title is title="{title}"')
    if (".wrong" in head) != is_wrong:
        how = "the programs in wrong/ are marked as .wrong, and no others"
        yield refused(page, fence.span[0], head, how)


def _types(page: Page, fence: Piece) -> Iterator[Finding]:
    """What was typed is not taken for what a program printed."""
    head = page.text[fence.span[0] : fence.start].strip()
    language = _LANGUAGE.match(head)
    title = _title(head)
    if language and language["language"] in _CODE and title != PRINTS:
        return
    if title or not (
        all(map(_TYPE.fullmatch, _lines(fence.text)))
        or any(quote.span == fence.span for _, quote in page.docstring_quotes)
        or any(_has(path, fence.text) for path in page.included_files(".out"))
        or any(_reads(path, page) for path in _tests(page, fence))
    ):
        yield refused(page, fence.start, fence.text, _UNTIED)


def _title(head: str) -> str:
    found = _TITLE.search(head)
    return found["title"] if found else ""


def _lines(text: str) -> list[str]:
    """Those at the margin, each with the deeper ones that go on with it."""
    lines = [line for line in text.splitlines() if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    whole: list[str] = []
    for line in lines:
        if whole and line[margin] == " ":
            whole[-1] += f" {line.strip()}"
        else:
            whole.append(line.strip())
    return whole


def _has(trace: Path, text: str) -> bool:
    """Whether these lines stand there together, apart from white space."""
    wanted, there = (
        [" ".join(line.split()) for line in each.strip().splitlines()]
        for each in (text, trace.read_text("utf-8"))
    )
    return any(
        there[at : at + len(wanted)] == wanted
        for at in range(len(there) - len(wanted) + 1)
    )


def _tests(page: Page, fence: Piece) -> Iterator[Path]:
    for name in page.directive_values("proof", fence.start):
        path = page.find_file(name) if name.startswith("tests/") else None
        if path and path.is_file():
            yield path


def _reads(test: Path, page: Page) -> bool:
    return page.label in test.read_text("utf-8")
