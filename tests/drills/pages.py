"""Mistakes in pages that the build of the site must see, with their lines."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from mathml.source import Formula, Source

from .book import Book, Tally

_LINK = re.compile(r"\]\((?![a-z]+:)(?P<place>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)")


def letters(number: int) -> str:
    """A number as the end of a LaTeX command's name."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def run(book: Book, tally: Tally, site: Path) -> None:
    kinds: dict[str, Callable[[Book], dict[Path, tuple[str, list[str]]]]] = {
        "a link to a page": _links,
        "a link to an anchor": _anchors,
        "a formula's command": _commands,
        "a formula's brace": _braces,
    }
    planned = {kind: plan(book) for kind, plan in kinds.items()}
    rounds: list[tuple[str, ...]] = [(kind,) for kind in planned]
    if tally.fast:  # one build, with one kind on each page
        rounds = [tuple(planned)]
        for turn, (kind, plan) in enumerate(planned.items()):
            its = book.pages[turn :: len(planned)]
            planned[kind] = {page: plan[page] for page in its if page in plan}
    for chosen in rounds:
        texts: dict[Path, str | None] = {
            page: text for kind in chosen for page, (text, _) in planned[kind].items()
        }
        with TemporaryDirectory() as folder, book.planted(texts):
            code, said = book.run("mkdocs", "build", "--site-dir", folder)
        for kind in chosen:
            for _page, (_, messages) in planned[kind].items():
                for message in messages:
                    tally.count(
                        kind,
                        f"{message}, exit code {code}",
                        code == 1 and bool(re.search(message, said)),
                    )


Plan = dict[Path, tuple[str, list[str]]]
"""Of each page: its text with all mistakes, and what must be said of each."""


def _plan(book: Book, find: Callable, mistake: Callable) -> Plan:
    plan = {}
    for page in book.pages:
        source = Source(page.read_text("utf-8"))
        text = source.text
        messages = []
        for n, found in reversed(list(enumerate(find(source)))):
            span, new, message = mistake(page, found, n)
            if new:
                text = text[: span[0]] + new + text[span[1] :]
                messages.append(message)
        if messages:
            plan[page] = text, messages
    return plan


def _find_links(source: Source) -> Iterator[re.Match]:
    return _LINK.finditer(source.without_code)


def _links(book: Book) -> Plan:
    def mistake(page, match, n):
        folder, slash, name = match["place"].rpartition("/")
        gone = name and f"{folder}{slash}gone{n}.md"
        return (
            match.span("place"),
            gone,
            _about_link(book, page, gone + (match["anchor"] or "")),
        )

    return _plan(book, _find_links, mistake)


def _anchors(book: Book) -> Plan:
    def mistake(page, match, n):
        # MkDocs knows no anchors in figures, where they name the theme's scheme, nor
        # in data.
        figure = match["place"].endswith((".svg", ".json"))
        # Nor does the glossary wait for it: it refuses an entry that isn't there.
        entry = page.name == "glossary.md" and not match["place"]
        gone = "" if figure or entry else f"{match['place']}#gone{n}"
        return (
            (match.start("place"), match.end() - 1),
            gone,
            _about_link(book, page, gone),
        )

    return _plan(book, _find_links, mistake)


def _about_link(book: Book, page: Path, link: str) -> str:
    name = page.relative_to(book.root / "docs").as_posix()
    return re.escape(f"'{name}' contains a link '{link}'")


def _commands(book: Book) -> Plan:
    return _formulas(
        book,
        lambda name: (rf"\gone{name} ", re.escape(rf'Unknown command "\gone{name}"')),
    )


def _braces(book: Book) -> Plan:
    return _formulas(
        book,
        lambda name: (f"{{z_{{{name}}} ", f".* in: {re.escape(f'{{z_{{{name}}}')}"),
    )


def _formulas(book: Book, broken) -> Plan:
    def mistake(page: Path, found: Formula, n: int):
        start = found.start + len(found.text) - len(found.text.lstrip())
        line = found.line + found.text[: start - found.start].count("\n")
        new, reason = broken(letters(n))
        said = f"{book.shown(page)}:{line}: formula does not convert: "
        return (start, start), new, re.escape(said) + reason

    return _plan(book, lambda source: source.formulas, mistake)
