"""``python -m truth accept [--reviewed] [PAGE…]``: record what was reviewed, and held.

Writes the lock of each page's sentences, and the lock of the rules in its programs.
Exit codes: 0 all was accepted; 1 something was refused; 2 usage.
"""

import argparse
from datetime import date
from pathlib import Path

from tracebook import settings

from . import results
from .page import Page, asked
from .rules import lock
from .statements.accept import accept
from .testfile import file_of


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m truth accept",
        description="Run the tests of sentences that changed, show what each was and"
        " is, and record it with its test for the next check.",
    )
    parser.add_argument(
        "--reviewed",
        action="store_true",
        help="accept what no test supplies, and what was turned round",
    )
    parser.add_argument(
        "pages", metavar="PAGE", nargs="*", type=Path, help="default: all"
    )
    arguments = parser.parse_args(words)
    root = Path().resolve()
    _, pages = asked(root, arguments.pages)
    refused = sum(
        accept(page, reviewed=arguments.reviewed)
        for page in pages
        if file_of(page).exists() and not page.is_generated
    )
    _lock_rules(pages, root)
    return 1 if refused else 0


def _lock_rules(pages: list[Page], root: Path) -> None:
    """Record the rules that were tried here, of the programs of some pages; a program
    that is gone loses its line."""
    known, book = results.load(root), settings.load(root)
    entries, keys = lock.load(root), results.Keys(root)
    for name in {name for page in pages for name in page.embeds}:
        program = known.programs.get(name) if known else None
        if not program or not (rules := program.rules):
            continue
        if program.key != keys.of_program(name):  # what was tried is another one
            continue
        source = (book.snippets_dir / name).read_text("utf-8")
        is_new = name not in entries or entries[name].key != lock.key(source)
        if is_new and all(each.state == "tried" and not each.day for each in rules):
            entries[name] = lock.Entry(
                lock.key(source),
                date.today().isoformat(),
                tuple(each.cases for each in rules),
                tuple(each.wrong_on_purpose for each in rules),
            )
    there = [each for each in entries.items() if (book.snippets_dir / each[0]).exists()]
    results.write(root / lock.FILE, lock.text(there))
