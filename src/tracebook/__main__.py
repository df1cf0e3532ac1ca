"""The command: ``python -m tracebook check|update [PATH…]``.

Exit codes: 0 all holds; 1 a trace differs, a snippet failed, a page embeds
what is not there, or a file could not be written; 2 usage, or an unknown
setting.
"""

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from .judge import Judge, Report
from .pages import Problem
from .settings import SettingsError, load


def main() -> int:
    arguments = _parser().parse_args()
    # A polite kill unwinds like Ctrl-C does, so that nothing is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with closing(Judge(load(arguments.root.resolve()))) as judge:
            if arguments.command == "engine":
                return _serve(judge)
            report = judge.judge(
                arguments.paths, arguments.command == "update", _progress()
            )
            return _print(report, arguments.json)
    except (SettingsError, OSError) as error:
        print(f"tracebook: {error}", file=sys.stderr)
        return 2 if isinstance(error, SettingsError) else 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tracebook", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        help="the folder of pyproject.toml (default: here)",
    )
    parser.add_argument(
        "command",
        choices=("check", "update", "engine"),
        help="check: run snippets and compare their traces; update: rewrite the"
        " traces that differ; engine: for site generators, check the book once for"
        " each line of standard input, and answer in JSON",
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=Path,
        help="snippets or folders of them (default: the whole book)",
    )
    return parser


def _print(report: Report, as_json: bool) -> int:
    if as_json:
        print(json.dumps(asdict(report)))
        return 1 if report.problems else 0
    for note in report.notes:
        print(note)
    for problem in report.problems:
        print(problem, file=sys.stderr)
    print(
        f"{len(report.traces)} snippets, {report.ran} run,"
        f" {len(report.notes)} traces written,"
        f" {len(report.problems)} problems"
    )
    return 1 if report.problems else 0


def _serve(judge: Judge) -> int:
    for _ in sys.stdin:
        try:
            report = judge.judge(progress=_progress())
        except (SettingsError, OSError) as error:
            report = Report([Problem("tracebook", str(error))])
        print(json.dumps(asdict(report)), flush=True)
    return 0


def _progress() -> Callable[[int, int], None]:
    """Says on stderr how far the work is, once a second, from the second on."""
    told = time.monotonic()

    def tell(ended: int, total: int) -> None:
        nonlocal told
        if ended < total and time.monotonic() - told > 1:
            told = time.monotonic()
            print(f"tracebook: {ended} of {total} snippets", file=sys.stderr)

    return tell


if __name__ == "__main__":
    sys.exit(main())
