"""Mistakes in traces and includes; the warm engine runs no program for them."""

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path

from .book import Book, Mistake, Tally

_WORD = re.compile(r"[\w.+-]+")
_INCLUDE = re.compile(r'^ *--8<-- "([^"]+)"$')


def matters(old: str, new: str, rel: float) -> bool:
    """Whether a changed digit counts, by the rule as docs/checked.md words it;
    0.e+00 and 0.e+01 are written differently, and that counts.

    Written without tracebook.compare, which the drills put to the test.
    """
    try:
        a, b = Decimal(old), Decimal(new)
    except InvalidOperation:
        return old != new
    whole = a == a.to_integral_value() and b == b.to_integral_value()
    return a == b or whole or abs(a - b) > Decimal(str(rel)) * max(abs(a), abs(b))


def agree(old: str, new: str, rel: float) -> bool:
    """Whether two texts differ in digits below the tolerance alone."""
    words = list(zip(_WORD.findall(old), _WORD.findall(new)))
    return _WORD.split(old) == _WORD.split(new) and all(
        a == b or not matters(a, b, rel) for a, b in words
    )


def digits(text: str, rel: float) -> Iterator[tuple[int, str, bool]]:
    """Each digit of a text: position, another digit, whether that matters."""
    for word in _WORD.finditer(text):
        for i, old in enumerate(word[0]):
            if old in "0123456789":
                other = str((int(old) + 1) % 10)
                new = word[0][:i] + other + word[0][i + 1 :]
                yield word.start() + i, other, matters(word[0], new, rel)


def line_of_change(old: str, new: str) -> int:
    pairs = zip(old.split("\n"), new.split("\n"))
    return next(n for n, (a, b) in enumerate(pairs, 1) if a != b)


def run(book: Book, tally: Tally, site: Path) -> None:
    changes: dict[str, list[list[Mistake]]] = {}
    for each in book.snippets:
        trace = each.output_path.read_text("utf-8")

        def change(
            kind: str, new: str, matters: bool = True, each=each, trace=trace
        ) -> None:
            named = (
                f"{each.output_label}:{line_of_change(trace, new)}:"
                f" {each.label} prints something else\n",
            )
            of_kind = changes.setdefault(kind, [])
            if not of_kind or of_kind[-1][0].path != each.output_path:
                of_kind.append([])
            of_kind[-1].append(Mistake(each.output_path, new, named if matters else ()))

        for at, digit, does in digits(trace, each.rel):
            kind = (
                "a digit of a trace"
                if does
                else "harmless: a digit below the tolerance"
            )
            change(kind, trace[:at] + digit + trace[at + 1 :], does)
        lines = trace.splitlines(keepends=True)
        for i, line in enumerate(lines if len(lines) > 1 else ()):
            change("a line dropped", "".join(lines[:i] + lines[i + 1 :]))
            change("a line doubled", "".join([*lines[:i], line, *lines[i:]]))
    for kind, files in changes.items():
        for mistakes in tally.rounds(files, 8):
            tally.judge(book, {kind: mistakes})
    _by_the_command(book, tally, [files[0] for files in changes["a digit of a trace"]])
    _swapped_and_deleted(book, tally)
    _orphans(book, tally)
    _includes(book, tally)


def _by_the_command(book: Book, tally: Tally, mistakes: list[Mistake]) -> None:
    """The engine's report is the command's, which has an exit code."""
    mistakes = tally.some(mistakes, 8)
    paths = [str(m.path) for m in mistakes] if tally.fast else []
    with book.planted({m.path: m.text for m in mistakes}):
        code, said = book.run("tracebook", "check", *paths)
    for m in mistakes:
        tally.count(
            "a digit of a trace",
            f"by the command: {m.named}",
            code == 1 and m.named[0] in said,
        )
    tally.count(
        "a digit of a trace",
        f"by the command: {said}",
        f" {len(mistakes)} problems\n" in said,
    )


def _swapped_and_deleted(book: Book, tally: Tally) -> None:
    for first in (0, 1):
        some = book.snippets[first:]
        tally.judge(
            book,
            {
                "two traces swapped": [
                    Mistake(
                        each.output_path,
                        other.output_path.read_text("utf-8"),
                        (f"{each.output_label}:",),
                    )
                    for a, b in zip(some[::2], some[1::2])
                    for each, other in ((a, b), (b, a))
                    if book.traces[a.name] != book.traces[b.name]
                ]
            },
        )
    for each in tally.some(book.snippets, 8):
        shown = [
            f"{book.shown(page)}:{n}: embeds {name}, which is not"
            for page, n, name in _included(book)
            if name == each.name.removesuffix(".py") + ".out"
        ]
        tally.judge(
            book,
            {
                "a trace deleted": [
                    Mistake(
                        each.output_path,
                        None,
                        (f"{each.label}:1: has no output beside it", *shown),
                    )
                ]
            },
        )


def _orphans(book: Book, tally: Tally) -> None:
    """In every folder at once: a program, a trace, a stray file."""
    folders = {each.path.parent for each in book.snippets}

    def planted(suffix: str, text: str, said: str) -> list[Mistake]:
        drills = [folder / f"drill{suffix}" for folder in folders]
        return [
            Mistake(path, text, (f"{book.shown(path)}: {said}",)) for path in drills
        ]

    for kind, mistakes in (
        (
            "an orphan snippet",
            planted(".py", "print(1)\n", "no page") + planted(".out", "1\n", "no page"),
        ),
        (
            "an orphan trace",
            planted(".out", "1\n", "belongs to drill.py, which is missing"),
        ),
        ("a stray file", planted(".txt", "1\n", "neither a snippet")),
    ):
        tally.judge(book, {kind: mistakes})


def _included(book: Book) -> list[tuple[Path, int, str]]:
    return [
        (page, n, found[1])
        for page in book.pages
        for n, line in enumerate(page.read_text("utf-8").splitlines(), 1)
        if (found := _INCLUDE.match(line))
    ]


def _includes(book: Book, tally: Tally) -> None:
    included = _included(book)
    names = [name.partition(":")[0] for _, _, name in included]
    broken: dict[str, dict[Path, list[Mistake]]] = {}
    for page, n, name in included:
        file = name.partition(":")[0]
        orphan = (
            () if names.count(file) > 1 else (f"snippets/{file}: no page shows it",)
        )
        for kind, new, said, named in (
            ("an include of a file", file + "x", f"embeds {file}x", orphan),
            ("an include of a section", file + ":gone", "embeds section", ()),
            ("an include dropped", "", "", orphan),
        ):
            lines = page.read_text("utf-8").splitlines(keepends=True)
            lines[n - 1] = lines[n - 1].replace(
                f'--8<-- "{name}"', new and f'--8<-- "{new}"'
            )
            where = (f"{book.shown(page)}:{n}: {said}",) if said else ()
            if where + named:
                broken.setdefault(kind, {}).setdefault(page, []).append(
                    Mistake(page, "".join(lines), where + named)
                )
    for kind, by_page in broken.items():
        for mistakes in tally.rounds(list(by_page.values()), 4):
            tally.judge(book, {kind: mistakes})
