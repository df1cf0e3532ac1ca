"""The command: ``python -m tracebook check|update [PATH…]``.

Exit codes: 0 all holds; 1 a trace differs, a snippet failed, or a page embeds
what is not there; 2 usage, or an unknown setting.
"""

import argparse
import json
import signal
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

from .judge import Judge, Report
from .settings import SettingsError, load


def main() -> int:
    arguments = _parser().parse_args()
    # A polite kill unwinds like Ctrl-C does, so that nothing is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    judge = None
    try:
        judge = Judge(load(arguments.root.resolve()))
        if arguments.command == "engine":
            return _serve(judge)
        with _Progress() as progress:
            report = judge.judge(
                arguments.paths, arguments.command == "update", progress)
        return _print(report)
    except SettingsError as error:
        print(f"tracebook: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        if judge:
            judge.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tracebook", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--root", type=Path, default=Path(),
        help="the folder of pyproject.toml (default: here)")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (
            ("check", "run snippets and compare their traces"),
            ("update", "run snippets and rewrite the traces that differ")):
        command = commands.add_parser(name, help=what, description=what)
        command.add_argument(
            "paths", metavar="PATH", nargs="*", type=Path,
            help="snippets or folders of them (default: the whole book)")
    commands.add_parser(
        "engine", help="judge the book once for each line of standard input,"
        " and answer in JSON; for site generators")
    return parser


def _print(report: Report) -> int:
    for note in report.notes:
        print(note)
    for problem in report.problems:
        print(problem, file=sys.stderr)
    print(f"{len(report.traces)} snippets, {report.ran} run,"
          f" {len(report.notes)} traces written,"
          f" {len(report.problems)} problems")
    return 1 if report.problems else 0


def _serve(judge: Judge) -> int:
    answers = sys.stdout
    for _ in sys.stdin:
        try:
            with _Progress() as progress:
                answer = asdict(judge.judge(progress=progress))
        except SettingsError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), file=answers, flush=True)
    return 0


class _Progress:
    """Says on stderr how far the work is, once a second, from the second on."""

    def __enter__(self):
        self._done, self._total = 0, 0
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)
        self._thread.start()
        return self

    def __call__(self, done: int, total: int) -> None:
        self._done, self._total = done, total

    def _tell(self) -> None:
        tty = sys.stderr.isatty()
        told = False
        while not self._ended.wait(1):
            if self._total and self._done < self._total:
                seconds = time.monotonic() - self._began
                line = (f"tracebook: {self._done} of {self._total} snippets"
                        f" after {seconds:.0f} s")
                print(f"\r{line}" if tty else line, file=sys.stderr,
                      end="" if tty else "\n", flush=True)
                told = tty
        if told:
            print("\r\x1b[K", file=sys.stderr, end="", flush=True)

    def __exit__(self, *_) -> None:
        self._ended.set()
        self._thread.join()


if __name__ == "__main__":
    sys.exit(main())
