"""Rot drills: ``python -m tests.drills``, with ``--help`` for its options.

Plants mistakes into a copy of the project, and demands of the real commands
that they name each. Exit codes: 0 all were caught, or where a seed chose them as
many as is the goal; 1 they were not.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from . import (
    derivations,
    formulas,
    numbers,
    pages,
    programs,
    rules,
    shown,
    structure,
    traces,
)
from .book import Book, Tally, Unsound

PARTS = (
    traces,
    structure,
    programs,
    pages,
    shown,
    formulas,
    derivations,
    numbers,
    rules,
)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.drills", description=__doc__.partition("\n")[0]
    )
    names = [part.__name__.rpartition(".")[2] for part in PARTS]
    parser.add_argument(
        "--part", action="append", choices=names, help="this one alone, or several"
    )
    parser.add_argument(
        "--fast", action="store_true", help="an even sample of each kind"
    )
    parser.add_argument(
        "--site", type=Path, help="the site of these pages, if it is built already"
    )
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    arguments = parser.parse_args()
    tally = Tally(arguments.fast, arguments.seed)
    try:
        with tempfile.TemporaryDirectory(prefix="drills-") as folder:
            book = Book(Path(folder).resolve())
            try:
                site = arguments.site or book.build()
                for name, part in zip(names, PARTS):
                    if name not in (arguments.part or names):
                        continue
                    began = time.monotonic()
                    part.run(book, tally, site)
                    print(
                        f"drills: {name} took {time.monotonic() - began:.0f} s",
                        file=sys.stderr,
                    )
                tally.nothing_is_left(book)
            finally:
                book.engine.close()
    except Unsound as error:
        print(f"drills: the project fails without a mistake:\n{error}", file=sys.stderr)
        return 1
    return _print(tally)


def _print(tally: Tally) -> int:
    for name, kind in sorted(tally.kinds.items()):
        print(
            f"{name}: {kind.tried} planted, {kind.caught} caught,"
            f" {kind.equal} change nothing, {len(kind.within)} below a tolerance"
        )
    for missed in tally.failures:
        print(f"not caught: {missed}", file=sys.stderr)
    return bool(tally.failures)


if __name__ == "__main__":
    sys.exit(main())
