"""Changes of the built pages, which the tests of the built HTML must see."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html import unescape
from pathlib import Path

from tests import built

from .book import Book, Tally
from .traces import digits

_BLOCK = re.compile(
    r'<div class="[^"]*highlight"><span class="filename">'
    r"(?:<a [^>]*>)?(?P<title>[^<]*)(?:</a>)?</span>"
    r".*?<code>(?P<code>.*?)</code></pre>(?:<details.*?</details>)?</div>",
    re.DOTALL,
)
_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_SYMBOL = re.compile(r"[^<>&;\s](?=</m[ion]>)")
_LINK = re.compile(r'(?<=href=")[^":#]+/(?=["#])')

_TESTS = {
    built.displays_files_and_fresh_traces: "test_displays_files_and_fresh_traces",
    built.has_no_raw_tex: "test_no_page_shows_raw_tex",
    built.displays_the_formulas_of_its_source: (
        "test_displays_the_formulas_of_its_source"
    ),
    built.every_link_inside_has_a_target: (
        "test_every_link_inside_the_site_has_a_target"
    ),
}
"""The test that makes each check."""


@dataclass
class Tamper:
    """A part of a built page replaced, and what must fail then."""

    kind: str
    path: Path
    span: tuple[int, int]
    new: str
    check: partial[None]
    named: str = ""
    """What the test must name."""

    def done(self) -> str:
        html = self.path.read_text("utf-8")
        return html[: self.span[0]] + self.new + html[self.span[1] :]


def run(book: Book, tally: Tally, site: Path) -> None:
    copy = book.root / "site"
    shutil.copytree(site, copy)
    kinds: dict[str, list[Tamper]] = {}
    for tamper in (*_blocks(book, copy), *_formulas(copy), *_links(copy)):
        kinds.setdefault(tamper.kind, []).append(tamper)
    for tampers in kinds.values():
        for each in tally.some(tampers, 5):
            said = None
            with book.planted({each.path: each.done()}):
                try:
                    each.check()
                except AssertionError as error:
                    said = str(error)
            tally.count(
                each.kind,
                f"{each.path}:{each.span} {each.new!r}: {said}",
                said is not None and each.named in said,
            )
    if not tally.fast:
        _by_the_command(book, tally, list(kinds.values()))


def _by_the_command(book: Book, tally: Tally, kinds: list[list[Tamper]]) -> None:
    """One of each kind at once, each on a page of its own."""
    tampers: list[Tamper] = []
    for kind in kinds:
        taken = {each.path for each in tampers}
        tampers.append(next(each for each in kind if each.path not in taken))

    def pytest() -> tuple[int, str]:
        return book.run(
            "pytest",
            "-q",
            "tests/test_built_html.py",
            BUILT_SITE=str(book.root / "site"),
        )

    code, said = pytest()
    tally.count("harmless: no mistake", f"by pytest: {said[-500:]}", code == 0)
    with book.planted({each.path: each.done() for each in tampers}):
        code, said = pytest()
    for each in tampers:
        name = f"FAILED tests/test_built_html.py::{_TESTS[each.check.func]}"
        tally.count(
            "by pytest, on one of each",
            f"{name}: {said[-500:]}",
            code == 1 and name in said,
        )


def _blocks(book: Book, site: Path) -> Iterator[Tamper]:
    rels = {each.name.removesuffix(".py"): each.rel for each in book.snippets}
    for page in map(built.page, built.PAGES):
        path = built.built(site, page.path)
        blocks = _BLOCK.finditer(path.read_text("utf-8"))
        check = partial(
            built.displays_files_and_fresh_traces, page.path, site, book.traces
        )
        for n, (block, embed) in enumerate(
            zip(blocks, built.programs_and_outputs(page), strict=True)
        ):
            letters = _letters(block)
            what = "program" if embed.name.endswith(".py") else "trace"
            span, old = letters[n * 37 % len(letters)]
            yield Tamper(
                f"a character of a displayed {what}",
                path,
                span,
                "y" if old == "x" else "x",
                check,
                page.location(embed.start),
            )
            yield Tamper("a displayed block gone", path, block.span(), "", check)
            if what == "program":
                continue
            text = "".join(char for _, char in letters)
            rel = rels[embed.name.removesuffix(".out")]
            those = [
                (letters[at][0], new) for at, new, does in digits(text, rel) if does
            ]
            if those:
                yield Tamper(
                    "a digit of a displayed trace",
                    path,
                    *those[n * 37 % len(those)],
                    check,
                    page.location(embed.start),
                )


def _letters(block: re.Match) -> list[tuple[tuple[int, int], str]]:
    """What a block displays: each character and its place in the file."""
    start = block.start("code")
    return [
        ((start + found.start(), start + found.end()), unescape(found[0]))
        for found in re.finditer(r"<[^>]*>|&[#\w]+;|.", block["code"], re.DOTALL)
        if not found[0].startswith("<")
    ]


def _formulas(site: Path) -> Iterator[Tamper]:
    for page in built.PAGES:
        path = built.built(site, page)
        for n, found in enumerate(_MATH.finditer(path.read_text("utf-8"))):
            raw = (r"\(x\)", "$x$", r"x \cdot y", "x^{2}")[n % 4]
            yield Tamper(
                "raw TeX in place of a formula",
                path,
                found.span(),
                raw,
                partial(built.has_no_raw_tex, path),
            )
            symbols = list(_SYMBOL.finditer(found[0]))
            start, end = symbols[n * 37 % len(symbols)].span()
            old = found[0][start:end]
            yield Tamper(
                "a symbol of a displayed formula",
                path,
                (found.start() + start, found.start() + end),
                "y" if old == "x" else "x",
                partial(built.displays_the_formulas_of_its_source, page, site),
            )


def _links(site: Path) -> Iterator[Tamper]:
    for path in sorted(site.rglob("index.html")):
        link = list(_LINK.finditer(path.read_text("utf-8")))[-1]
        yield Tamper(
            "a link of a built page",
            path,
            link.span(),
            "../gone/",
            partial(built.every_link_inside_has_a_target, site),
            f"{path}: ../gone/",
        )
