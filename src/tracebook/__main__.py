"""The command: ``python -m tracebook check|update [PATH…]``.

Exit codes: 0 all holds; 1 a trace differs, a snippet failed, a page embeds
what is not there, or a file could not be written; 2 usage, or an unknown
setting.
"""

import argparse
import json
import os
import shlex
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from . import command, progress
from .checker import Checker, Report
from .pages import Problem
from .settings import SettingsError, load


def main() -> int:
    arguments = _parser().parse_intermixed_args()
    return command.main("tracebook", lambda: _do(arguments))


def _do(arguments: argparse.Namespace) -> int:
    book = load(arguments.root.resolve(), arguments.docs)
    with closing(Checker(book, arguments.remember)) as checker:
        if arguments.command == "engine":
            return _serve(checker)
        update = arguments.command == "update"
        tell = progress.of_programs()
        report = checker.check(arguments.paths, update, update, tell, arguments.stops)
        return _print_json(report) if arguments.json else _print(report)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tracebook", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        help="the folder of pyproject.toml (default: here)",
    )
    parser.add_argument(
        "--docs",
        metavar="FOLDER",
        help="the folder of pages (default: as mkdocs.yml says)",
    )
    parser.add_argument(
        "--remember",
        action="store_true",
        default=os.environ.get("TRACEBOOK_REMEMBER") == "1",
        help="do not run what ran before, with all as it is now (also if the"
        " environment sets TRACEBOOK_REMEMBER=1)",
    )
    parser.add_argument(
        "--stops",
        action="store_true",
        help="run the programs that have a .live file at every stop of their inputs",
    )
    parser.add_argument("--json", action="store_true", help="report in JSON")
    parser.add_argument(
        "command",
        choices=("check", "update", "engine"),
        help="check: run snippets and compare their traces; update: rewrite the"
        " traces that differ; engine: for site generators, do so for each line"
        " 'check [PATH…]' of standard input, and answer in JSON",
    )
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=Path,
        help="snippets or folders of them (default: the whole book)",
    )
    return parser


def _print(report: Report) -> int:
    for note in report.notes:
        print(note)
    for problem in report.problems:
        print(problem, file=sys.stderr)
    print(
        f"{len(report.outputs)} snippets, {report.ran} run,"
        + (f" {report.remembered} remembered," if report.remembered else "")
        + (f" {report.stops} stops," if report.stops else "")
        + f" {len(report.notes)} traces written,"
        f" {len(report.problems)} problems"
    )
    return 1 if report.problems else 0


def _print_json(report: Report) -> int:
    print(json.dumps(asdict(report)), flush=True)
    return 1 if report.problems else 0


def _serve(checker: Checker) -> int:
    parent = os.getppid()
    for line in sys.stdin:
        try:
            paths = [Path(path) for path in shlex.split(line)[1:]]
            tell = progress.of_programs(parent)
            report = checker.check(paths, sweep=True, progress=tell)
        except (SettingsError, OSError, ValueError) as error:
            report = Report([Problem("tracebook", str(error))])
        _print_json(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
