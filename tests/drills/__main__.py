"""Rot drills: ``python -m tests.drills``, with ``--help`` for its options.

Plants mistakes in formulas, derivations and numbers, and demands of the checks that they
find each. Exit codes: 0 all were caught, or where a seed chose them as many as is the
goal; 1 they were not.
"""

import argparse
import sys
import time

from ..project import ROOT
from . import derivations, formulas, numbers
from .tally import Tally

PARTS = (formulas, derivations, numbers)


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
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    arguments = parser.parse_args()
    tally = Tally(arguments.fast, arguments.seed)
    for name, part in zip(names, PARTS):
        if name in (arguments.part or names):
            began = time.monotonic()
            part.run(ROOT, tally)
            seconds = time.monotonic() - began
            print(f"drills: {name} took {seconds:.0f} s", file=sys.stderr)
    return _print(tally)


def _print(tally: Tally) -> int:
    for name, kind in sorted(tally.kinds.items()):
        print(
            f"{name}: {kind.tried} planted, {kind.caught} caught,"
            f" {kind.equal} change nothing"
        )
    for missed in tally.failures:
        print(f"not caught: {missed}", file=sys.stderr)
    return bool(tally.failures)


if __name__ == "__main__":
    sys.exit(main())
