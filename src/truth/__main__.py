"""Check what the pages claim: ``python -m truth [--root ROOT] [PAGE…]``.

Formulas, rules, numbers, quotes and error messages, and the traces that
they rest on. What was checked before, and has not changed since, is not checked
again. Exit codes: 0 all holds; 1 something does not hold, or a check did not
come to its end; 2 usage.
"""

import argparse
import signal
import sys
import time
from pathlib import Path

from tracebook import progress, settings

from . import results
from .ledger import page as ledger
from .page import all_pages
from .work import Work, run


def main(words: list[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(words)
    # A polite kill unwinds like Ctrl-C does, so that nothing is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    root = arguments.root.resolve()
    book = all_pages(root)
    wanted = {path.resolve() for path in arguments.pages}
    chosen = [page for page in book if not wanted or page.path in wanted]
    if strangers := wanted - {page.path for page in chosen}:
        parser.error(f"no page of the book: {', '.join(map(str, strangers))}")
    try:
        return _check(Work(root, book, chosen), root)
    except settings.SettingsError as error:
        print(f"truth: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


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
    run(work.tasks(), root, workers, work.done, tell=progress.tell)
    results.save(work.found, root)
    run(work.comparisons(), root, workers, work.done, tell=progress.tell)
    results.save(work.found, root)
    ledger.write(root)
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
