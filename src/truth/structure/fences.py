"""Check the fences of a page: each program with its output below it, types, code."""

import re
from collections.abc import Iterator
from pathlib import Path

from mathml.source import Piece

from ..finding import Finding
from ..page import Page
from .findings import finding

PRINTS = "prints"
"""The title of an output."""
_CODE = ("python", "sh")
"""The languages of code that a reader runs. Text in another one may be an output."""
_LANGUAGE = re.compile(r"[`~]+\s*(?:\{\s*\.?)?(?P<language>\w*)")
_TITLE = re.compile(r"""\btitle=(?P<mark>["']?)(?P<title>.*?)(?P=mark)(?=[\s}]|\Z)""")
_TYPE = re.compile(r"\w+ +:: .*→.*")
_NO_OUTPUT = "its output does not stand below it, before another program or heading"
_TYPED = (
    "no output of the page has these lines; include one. A type has lines like"
    " 'grad :: upstream(y) → downstream(x)', and other text names the test that reads"
    " it: <!-- proof: tests/NAME.py -->"
)


def check(page: Page) -> Iterator[Finding]:
    """Check what stands in fences, and that includes do."""
    yield from _order(page)
    included = {include.start: include.name for include in page.includes}
    for fence in page.fences:
        inside = [at for at in included if fence.start <= at < fence.span[1]]
        names = [included.pop(at) for at in inside]
        if records := [name for name in names if _is_record(name)]:
            yield finding(page, fence.start, records[0], "a table stands in no fence")
        else:
            yield from _file(page, fence, names) if names else _typed(page, fence)
    for at, name in included.items():
        if not _is_record(name):
            yield finding(page, at, name, "an include stands in a fence")
    for code in page.codes:  # Markdown may show one as a block
        if page.text.startswith("```", code.span[0]) and "\n" in code.text:
            yield finding(page, code.start, code.text, "a fence has lines of its own")


def _is_record(name: str) -> bool:
    """Return whether an include names a table that a run fills."""
    return name.startswith("tables/") and name.endswith(".md")


def _order(page: Page) -> Iterator[Finding]:
    """Check that each program is followed by its output within its section."""
    program, waiting = ("", 0), -1
    for include in page.includes:
        if _is_record(include.name):
            continue
        stem, _, suffix = include.name.rpartition(".")
        place = (stem, page.section_start(include.start))
        if suffix == "out" and place == program:
            waiting = -1
        elif suffix == "out":
            above = f"{program[0]}.py" if program[0] else "none"
            detail = f"the output of {stem}.py; the program above it is {above}"
            yield finding(page, include.start, include.name, detail)
        elif place != program:
            if waiting >= 0:
                yield finding(page, waiting, f"{program[0]}.py", _NO_OUTPUT)
            program, waiting = place, include.start
    if waiting >= 0:
        yield finding(page, waiting, f"{program[0]}.py", _NO_OUTPUT)


def _file(page: Page, fence: Piece, names: list[str]) -> Iterator[Finding]:
    """Check that a fence has the title of its file, and shows nothing else."""
    head, name = page.text[fence.span[0] : fence.start].strip(), names[0]
    is_output = name.endswith(".out")
    title = PRINTS if is_output else name.removeprefix(f"{page.name}/")
    is_wrong = not is_output and "wrong" in name.split("/")
    if sum(bool(line.strip()) for line in fence.text.splitlines()) > len(names):
        yield finding(page, fence.start, name, "what is typed beside it never ran")
    if _title(head) != title:
        yield finding(page, fence.span[0], head, f'its title is title="{title}"')
    if (".wrong" in head) != is_wrong:
        detail = "the programs in wrong/ are marked as .wrong, and no others"
        yield finding(page, fence.span[0], head, detail)


def _typed(page: Page, fence: Piece) -> Iterator[Finding]:
    """Check that typed text can't be taken for an output."""
    head = page.text[fence.span[0] : fence.start].strip()
    language, title = _LANGUAGE.match(head), _title(head)
    proofs, folder = page.proofs(fence.start), page.root / "tests"
    tests = [path for path in proofs if path.is_relative_to(folder)]
    if language and language["language"] in _CODE and title != PRINTS:
        return
    if title or not (
        all(map(_TYPE.fullmatch, _logical_lines(fence.text)))
        or any(_contains(page, path, fence) for path in page.included_files(".out"))
        or any(page.label in page.read_text(path) for path in tests)
    ):
        yield finding(page, fence.start, fence.text, _TYPED)


def _title(head: str) -> str:
    match = _TITLE.search(head)
    return match["title"] if match else ""


def _logical_lines(text: str) -> list[str]:
    """Return the lines at the margin, each joined with the deeper lines below it."""
    lines = [line for line in text.splitlines() if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    logical: list[str] = []
    for line in lines:
        if logical and line[margin] == " ":
            logical[-1] += f" {line.strip()}"
        else:
            logical.append(line.strip())
    return logical


def _contains(page: Page, output: Path, fence: Piece) -> bool:
    """Return whether an output has the lines of a fence, apart from white space."""
    lines, output_lines = (
        "\n".join(" ".join(line.split()) for line in text.strip().splitlines())
        for text in (fence.text, page.read_text(output))
    )
    return f"\n{lines}\n" in f"\n{output_lines}\n"
