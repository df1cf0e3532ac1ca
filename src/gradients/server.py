"""``python -m gradients.server ROOT``: run programs, and print the engine's report.

The paths of the programs and the report are JSON. The server is a process of its own,
because each child of it imports its main module, and this one is small.
"""

import json
import sys
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

from tracebook import command, progress, settings
from tracebook.checker import Checker

from .client import OBSERVER, POSTPONED


def serve(root: Path, paths: list[Path]) -> dict:
    """Run programs of a project, and return the engine's report as JSON has it."""
    project = settings.load(root)
    keep = [*project.keep, POSTPONED]
    observing = replace(project, observer=OBSERVER, keep=keep)
    with closing(Checker(observing)) as checker:
        return asdict(checker.check(paths, progress=progress.of_programs()))


def main() -> int:
    """Run programs that standard input names, and print the report."""
    programs = [Path(path) for path in json.load(sys.stdin)]
    json.dump(serve(Path(sys.argv[1]), programs), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(command.main("truth", main))
