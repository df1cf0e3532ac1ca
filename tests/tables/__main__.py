"""The command: ``python -m tests.tables [--check] [NAME …]``.

It runs the tables and writes their records, or compares them with their records.
"""

import argparse
import difflib
import sys
import time

from truth import tables

from . import NAMES, ROOT, compute


def main() -> int:
    """Run the tables that the command names, or all.

    Returns:
        1 if ``--check`` finds a difference, else 0.
    """
    parser = argparse.ArgumentParser("python -m tests.tables")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    options = parser.parse_args()
    if unknown := {*options.names} - {*NAMES}:
        parser.error(
            f"no table {', '.join(sorted(unknown))}; there is {', '.join(NAMES)}"
        )
    differs = False
    for name in options.names or NAMES:
        began = time.perf_counter()
        body = compute(name)
        print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
        path = ROOT / tables.RECORDS / f"{name}.md"
        if options.check:
            recorded = tables.read(path.read_text("utf-8")) if path.is_file() else None
            before = recorded.body.splitlines() if recorded else []
            difference = difflib.unified_diff(
                before, body.splitlines(), path.name, "this run", lineterm=""
            )
            lines = [*difference]
            print(*lines, sep="\n", end="\n" * bool(lines))
            differs = differs or bool(lines)
        else:
            path.write_text(tables.record(ROOT, name, body), "utf-8")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
