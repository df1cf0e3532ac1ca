"""Rot drills: ``python -m tests.drills [--fast] [--seed N] [--site SITE]``.

Plants mistakes into a copy of the project, and demands of the real commands
that they name each. Exit codes: 0 of each kind as many were caught as shall be; 1
there were not.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from . import claims, formulas, pages, programs, rules, shown, traces
from .book import Book, Tally, Unsound

PARTS = (traces, programs, pages, shown, formulas, claims, rules)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.drills", description=__doc__.partition("\n")[0]
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
                for part in PARTS:
                    began = time.monotonic()
                    part.run(book, tally, site)
                    print(
                        f"drills: {part.__name__} took"
                        f" {time.monotonic() - began:.0f} s",
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
    for missed in tally.missed:
        print(f"not caught: {missed}", file=sys.stderr)
    print("| What is planted | planted | caught | true all the same | missed |")
    print("| --- | ---: | ---: | ---: | ---: |")
    kinds = tally.kinds.values()
    for name, kind in sorted(tally.kinds.items()):
        print(f"| {name} | {_row(kind.tried, kind.caught, kind.equal)} |")
    sums = (sum(getattr(k, part) for k in kinds) for part in _PARTS)
    print(f"| in all | {_row(*sums)} |\n")
    print(
        "Changes that are not counted, for they change nothing that is true (a"
        " program prints\nthe same, a formula still holds), or less than a"
        " tolerance or a weak tie can see:\n"
    )
    for name, kind in sorted(tally.kinds.items()):
        if kind.equal or kind.within:
            print(f"- {name}: {kind.equal} the same, {len(kind.within)} below")
        for each in kind.within:
            print(f"    - {each.rstrip()}".replace("\n", "\n      "))
    return not all(kind.is_met for kind in kinds)


_PARTS = ("tried", "caught", "equal")


def _row(tried: int, caught: int, equal: int) -> str:
    return f"{tried + equal} | {caught} | {equal} | {tried - caught}"


if __name__ == "__main__":
    sys.exit(main())
