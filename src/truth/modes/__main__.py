"""Write what pages say that each mode shows: ``python -m truth.modes PAGE…``."""

import argparse
import sys
from pathlib import Path

from ..page import Page
from ..results import write
from .check import written


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m truth.modes", description=__doc__)
    parser.add_argument("pages", metavar="PAGE", type=Path, nargs="+")
    for path in parser.parse_args().pages:
        page = Page(path.resolve(), Path().resolve())
        try:
            write(page.path, written(page))
        except ValueError as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
