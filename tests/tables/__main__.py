"""The command: ``python -m tests.tables [--check] [NAME …]``.

It runs the tables and writes their records, or compares them with their records.
"""

import argparse
import difflib
import sys
import time

from truth import tables

from ..table_records import record
from . import NAMES, ROOT, compute


def main() -> int:
    """Run the tables that the command names, or all.

    Returns:
        1 if ``--check`` finds a difference, else 0.
    """
    names = tables.names(ROOT)
    parser = argparse.ArgumentParser("python -m tests.tables")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    options = parser.parse_args()
    if unknown := {*options.names} - {*names}:
        parser.error(f"no table {', '.join(sorted(unknown))}")
    results = [_run(name, options.check) for name in options.names or names]
    return int(not all(results))


def _run(name: str, is_check: bool) -> bool:
    """Run a table, write its record or compare it, and return whether it was the same."""
    began = time.perf_counter()
    known = tables.load(ROOT, name)
    body = compute(name, known)
    print(f"{name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
    if not is_check:
        text = record(ROOT, name, body, known.modes if known else "")
        tables.path_of(ROOT, name).write_text(text, "utf-8")
        return True
    before = known.body.splitlines() if known else []
    lines = [*difflib.unified_diff(before, body.splitlines(), name, "this run", n=1)]
    print(*(line.rstrip() for line in lines), sep="\n", end="\n" * bool(lines))
    return not lines


if __name__ == "__main__":
    sys.exit(main())
