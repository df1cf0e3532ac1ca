"""Try the sentences of a page: ``python -m truth.statements PAGE [-k NAME] [--all]``,
and say which of them still need a test."""

import argparse
import sys
import time
from pathlib import Path

from tracebook import command
from tracebook.settings import SettingsError

from ..page import asked
from .check import Check


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m truth.statements", description=__doc__
    )
    parser.add_argument("page", type=Path)
    parser.add_argument(
        "-k", metavar="NAME", default="", help="tests of this name alone"
    )
    parser.add_argument("--all", action="store_true", help="also what holds")
    arguments = parser.parse_args()
    return command.main("truth.statements", lambda: _try(arguments))


def _try(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    _, [page] = asked(Path().resolve(), [arguments.page])
    check = Check(page, arguments.k)
    if not (found := [*check]) and arguments.k:
        raise SettingsError(f"no test in {check.tests.shown} has {arguments.k!r} in it")
    for each in found:
        if arguments.all or not (each.holds or each.state == "definition"):
            print(f"{each.state}: {each}")
    held = sum(each.holds for each in found)
    failed = sum(each.state == "failed" for each in found)
    took = time.monotonic() - began
    print(f"{len(found)} statements, {held} hold, {failed} failed, in {took:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
