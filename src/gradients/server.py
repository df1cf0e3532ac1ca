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

from .client import OBSERVER


def serve() -> int:
    """Run the programs, and print the report."""
    project = settings.load(Path(sys.argv[1]))
    paths = [Path(path) for path in json.load(sys.stdin)]
    with closing(Checker(replace(project, observer=OBSERVER))) as checker:
        report = checker.check(paths, progress=progress.of_programs())
    json.dump(asdict(report), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(command.main("truth", serve))
