"""Check what the pages show and claim: ``python -m truth [--all] [PAGE…]``.

Programs and their outputs, custom gradients, formulas, claims, numbers, quotes. Results
are kept under keys of all that they depend on. Of the claims and the custom gradients
that were not tried here yet, those that changed are tried and a tenth of the others,
unless ``--all`` is given. ``python -m truth review`` shows claims beside
their tests. Exit codes: 0 all holds; 1 something does not hold, or a check did not come
to its end; 2 usage.
"""

import argparse
import sys
import time
from pathlib import Path

from tracebook import command, progress, settings

from . import pool, review, share
from .menu import menu
from .page import select_pages
from .work import Work, ask


def main(words: list[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["review"]:
        return command.main("truth review", lambda: review.main(words[1:]))
    arguments = _parser().parse_args(words)
    if arguments.all:
        share.demand_everything()
    if arguments.pages:
        share.demand_chosen()
    return command.main("truth", lambda: _do(arguments))


def _do(arguments: argparse.Namespace) -> int:
    root = arguments.root.resolve()
    progress.tell("truth: reading the pages")
    return _check(Work(root, *select_pages(root, arguments.pages)), root)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m truth", description=__doc__.partition(":")[0]
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        help="the folder of pyproject.toml (default: here)",
    )
    parser.add_argument("--all", action="store_true", help="try everything anew")
    parser.add_argument(
        "pages",
        metavar="PAGE",
        nargs="*",
        type=Path,
        help="pages to check (default: the whole book)",
    )
    return parser


def _check(work: Work, root: Path) -> int:
    began = time.monotonic()
    workers = settings.load(root).workers
    work.results.demand_room()
    menu(root)  # what cannot be read is named before anything runs
    for tasks in (work.tasks, work.comparisons):
        pool.run(tasks(), root, workers, work.done, ask=ask, tell=progress.tell)
    failures = work.failures()
    for each in failures:
        print(each, file=sys.stderr)
    for line in work.summary():
        print(line)
    print(
        f"{work.pages} pages in {time.monotonic() - began:.0f} s,"
        f" {len(failures)} problems"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
