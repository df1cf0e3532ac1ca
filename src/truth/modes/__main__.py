"""Write what pages say that each mode shows: ``python -m truth.modes PAGE…``."""

import argparse
import sys
from pathlib import Path

from tracebook import command

from ..page import asked
from ..results import write
from .check import written


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m truth.modes", description=__doc__)
    parser.add_argument("pages", metavar="PAGE", type=Path, nargs="+")
    arguments = parser.parse_args()
    return command.main("truth.modes", lambda: _write(arguments.pages))


def _write(paths: list[Path]) -> int:
    _, chosen = asked(Path().resolve(), paths)
    for page in chosen:
        try:
            write(page.path, written(page))
        except ValueError as error:
            print(f"{page.shown}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
