"""Check what the pages claim: ``python -m truth [--all] [--root ROOT] [PAGE…]``.

Formulas, rules, sentences, quotes and error messages, and the traces that
they rest on. What was checked before, and has not changed since, is not checked
again; what the committed locks say held is taken over but for a twentieth, another one
each day, unless ``--all`` is given. ``python -m truth accept`` records sentences that
were reviewed with their tests. Exit codes: 0 all holds; 1 something does not hold, or
a check did not come to its end; 2 usage.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from tracebook import command, progress, settings

from . import accept, results, sample
from .ledger import page as ledger
from .menu import menu
from .page import asked
from .rules import lock
from .work import Work, run


def main(words: list[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["accept"]:
        return command.main("truth accept", lambda: accept.main(words[1:]))
    arguments = _parser().parse_args(words)
    if arguments.all:
        os.environ[sample.EVERYTHING] = "1"
    return command.main("truth", lambda: _do(arguments))


def _do(arguments: argparse.Namespace) -> int:
    root = arguments.root.resolve()
    progress.tell("truth: reading the pages")
    return _check(Work(root, *asked(root, arguments.pages)), root)


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
    parser.add_argument(
        "--all", action="store_true", help="try again what the locks say held"
    )
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
    if unreviewed := [*work.unreviewed()]:
        if not work.is_partial:
            progress.tell(f"truth: {len(unreviewed)} sentences to review; see below")
        else:
            for sentence in unreviewed:
                print(sentence, file=sys.stderr)
            print(f"{len(unreviewed)} sentences to review; nothing else was checked")
            return 1
    workers = settings.load(root).workers
    results.demand_room(root)
    menu(root)  # what cannot be read is named before anything runs
    lock.load(root)
    unsaved = None
    try:
        run(work.tasks(), root, workers, work.done, tell=progress.tell)
        results.save(work.found, root)
        run(work.comparisons(), root, workers, work.done, tell=progress.tell)
        results.save(work.found, root)
        ledger.write(root)
    except OSError as error:  # what was found is said all the same
        unsaved = error
    failures = work.failures()
    for each in failures:
        print(each, file=sys.stderr)
    for line in work.summary():
        print(line)
    print(
        f"{work.pages} pages in {time.monotonic() - began:.0f} s,"
        f" {len(failures)} problems"
    )
    if unsaved:
        raise unsaved
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
