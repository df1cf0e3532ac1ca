"""The command: ``python -m tracebook check|update [PATH…]``.

Exit codes: 0 all outputs agree; 1 an output differs, a program failed, a page embeds
what is not there, or a file could not be written; 2 usage, or an unknown setting.
"""

import argparse
import json
import os
import shlex
import sys
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

from . import command, progress
from .checker import Checker
from .report import CheckReport
from .settings import SettingsError, load


def main() -> int:
    """Run the command, and return its exit code."""
    arguments = _parser().parse_intermixed_args()
    return command.main("tracebook", lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    settings = load(arguments.root.resolve(), arguments.docs)
    if arguments.twins:  # another environment lacks what the settings name
        changes = {"preload": arguments.twins.split(","), "keep": ("KERAS_BACKEND",)}
        settings = replace(settings, twins=True, memory="", plugins=(), **changes)
    with closing(Checker(settings, arguments.remember)) as checker:
        if arguments.command == "engine":
            return _serve(checker)
        update = arguments.command == "update"
        report = checker.check(
            arguments.paths, update, update, progress.of_programs(), arguments.stops
        )
    (_print_json if arguments.json else _print)(report)
    return 1 if report.problems else 0


def _parser() -> argparse.ArgumentParser:
    description = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser("python -m tracebook", description=description)
    add = parser.add_argument
    add("--root", type=Path, default=Path(), help="the folder of pyproject.toml")
    add("--docs", metavar="FOLDER", help="the folder of pages, if not the settings'")
    remember = (
        "don't run what passed before, if nothing that it depends on has changed (also"
        " if the environment sets TRACEBOOK_REMEMBER=1); needs the setting 'memory'"
    )
    default = os.environ.get("TRACEBOOK_REMEMBER") == "1"
    add("--remember", action="store_true", default=default, help=remember)
    stops = "run programs at all positions of their sliders, and other variants"
    add("--stops", action="store_true", help=stops)
    add("--twins", metavar="MODULE,…", help="run NAME.KIND.py only; import MODULE once")
    add("--json", action="store_true", help="report in JSON")
    commands = (
        "check: run programs and compare their outputs; update: rewrite the outputs"
        " that differ; engine: for site generators, do so for each line 'check [PATH…]'"
        " of standard input, and answer in JSON"
    )
    add("command", choices=("check", "update", "engine"), help=commands)
    paths = "programs or folders of them (default: the whole project)"
    add("paths", metavar="PATH", nargs="*", type=Path, help=paths)
    return parser


def _print(report: CheckReport) -> None:
    for note in report.notes:
        print(note)
    for problem in report.problems:
        print(problem, file=sys.stderr)
    remembered = f" {report.remembered} remembered," if report.remembered else ""
    variants = f" {report.variants} variants," if report.variants else ""
    ran = f"{len(report.outputs)} snippets, {report.ran} run,{remembered}{variants}"
    print(f"{ran} {len(report.notes)} outputs written, {len(report.problems)} problems")


def _print_json(report: CheckReport) -> None:
    print(json.dumps(asdict(report)), flush=True)


def _serve(checker: Checker) -> int:
    """Answer requests until there are no more, or nobody waits for the answer."""
    parent = os.getppid()
    for line in sys.stdin:
        try:
            paths = [Path(path) for path in shlex.split(line)[1:]]
            show = progress.of_programs(parent)
            report = checker.check(paths, sweep=True, progress=show)
        except (SettingsError, OSError, ValueError) as error:
            report = CheckReport()
            report.problem("tracebook", str(error))
        _print_json(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
