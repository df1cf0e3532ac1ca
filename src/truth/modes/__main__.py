"""Write what pages say that each mode shows: ``python -m truth.modes PAGE…``."""

import argparse
import sys
from pathlib import Path

from tracebook import command

from ..page import Page
from ..results import write
from .check import written


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m truth.modes", description=__doc__)
    parser.add_argument("pages", metavar="PAGE", type=Path, nargs="+")
    pages = parser.parse_args().pages
    return command.main("truth.modes", lambda: _write(pages))


def _write(pages: list[Path]) -> int:
    for path in pages:
        try:
            page = Page(path.resolve(), Path().resolve())
            write(page.path, written(page))
        except ValueError as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
