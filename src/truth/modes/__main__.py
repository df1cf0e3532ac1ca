"""Write what a page says that each mode shows: ``python -m truth.modes PAGE…``; or the
index of all messages: ``python -m truth.modes --index``."""

import argparse
import sys
from pathlib import Path

from tracebook import settings

from ..page import Page
from ..results import write
from .check import written
from .index import CATALOGUE, INDEX, text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m truth.modes", description=__doc__)
    parser.add_argument("pages", metavar="PAGE", type=Path, nargs="*")
    parser.add_argument("--index", action="store_true", help="of all messages")
    arguments = parser.parse_args()
    root = Path().resolve()
    for path in arguments.pages:
        page = Page(path.resolve(), root)
        try:
            write(page.path, written(page))
        except ValueError as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
    if arguments.index:
        write(settings.load(root).docs_dir / CATALOGUE / INDEX, text(root))
    return 0


if __name__ == "__main__":
    sys.exit(main())
