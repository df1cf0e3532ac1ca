"""Check what the pages show and claim: ``python -m truth [--all] [PAGE…]``.

Programs and their outputs, custom gradients, formulas, claims, numbers, quotes. Results
are kept under keys of all that they depend on. Claims and custom gradients that weren't
checked on this machine yet wait for their day, a tenth of them each day, unless their
files changed or ``--all`` is given. ``python -m truth review`` shows claims beside
their tests. Exit codes: 0 all passed; 1 something failed, or a check did not come to
its end; 2 usage.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from tracebook import command, progress, settings

from . import due, pool, review
from .menu import menu
from .page import select_pages
from .site_check import SiteCheck
from .tasks import perform


def main(words: list[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["review"]:
        return command.main("truth review", lambda: review.main(words[1:]))
    arguments = _parser().parse_args(words)
    if arguments.all:
        os.environ[due.EVERYTHING] = "1"
    if arguments.pages:
        os.environ[due.SELECTION] = "1"
    return command.main("truth", lambda: _check(arguments))


def _parser() -> argparse.ArgumentParser:
    summary = __doc__.partition(":")[0]
    parser = argparse.ArgumentParser("python -m truth", description=summary)
    text = "the folder of pyproject.toml (default: here)"
    parser.add_argument("--root", type=Path, default=Path(), help=text)
    parser.add_argument("--all", action="store_true", help="check everything anew")
    text = "pages to check (default: all pages)"
    parser.add_argument("pages", metavar="PAGE", nargs="*", type=Path, help=text)
    return parser


def _check(arguments: argparse.Namespace) -> int:
    start = time.monotonic()
    root = arguments.root.resolve()
    progress.show("truth: reading the pages")
    pages, selected = select_pages(root, arguments.pages)
    check = SiteCheck(root, pages, selected)
    check.results.demand_space()
    menu(root)  # an error in it is reported before anything runs
    workers = settings.load(root).workers
    for tasks in (check.tasks, check.comparisons):
        pool.run(tasks(), root, workers, check.done, perform=perform)
    failures = check.failures()
    for failure in failures:
        print(failure, file=sys.stderr)
    for line in check.summary():
        print(line)
    seconds = time.monotonic() - start
    print(f"{len(selected)} pages in {seconds:.0f} s, {len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
