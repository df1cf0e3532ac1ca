"""Write what pages say that each mode shows: ``python -m truth.modes PAGE…``; the index
of all messages: ``--index``; what the linter finds of all that: ``--found``."""

import argparse
import sys
from pathlib import Path

from tracebook import settings

from ..page import Page
from ..results import write
from . import found, index
from .check import written
from .index import CATALOGUE


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m truth.modes", description=__doc__)
    parser.add_argument("pages", metavar="PAGE", type=Path, nargs="*")
    parser.add_argument("--index", action="store_true", help="of all messages")
    parser.add_argument("--found", action="store_true", help="by the linter")
    arguments = parser.parse_args()
    root = Path().resolve()
    for path in arguments.pages:
        page = Page(path.resolve(), root)
        try:
            write(page.path, written(page))
        except ValueError as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
    folder = settings.load(root).docs_dir / CATALOGUE
    if arguments.index:
        write(folder / index.INDEX, index.text(root))
    if arguments.found:
        write(folder / found.FOUND, found.text(root))
    return 0


if __name__ == "__main__":
    sys.exit(main())
