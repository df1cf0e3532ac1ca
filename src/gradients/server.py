"""``python -m gradients.server``: programs as JSON in, what was found as JSON out.

A process of its own, because each child starts by importing its parent's main
module, which is this small one.
"""

import json
import sys
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

from tracebook import progress
from tracebook.checker import Checker
from tracebook.runner import Run, Runner
from tracebook.settings import Settings, load

from .check import OBSERVER, Program


def serve(root: Path, paths: list[str], planted: list[dict]) -> dict:
    """Of programs of the book the engine's report, with what was observed; of
    programs that are given as text, what was observed, or the problem."""
    if paths:
        with closing(Checker(replace(load(root), observer=OBSERVER))) as checker:
            tell = progress.of_programs()
            return asdict(checker.check(list(map(Path, paths)), progress=tell))
    settings = Settings(root, preload=("tensorflow",), observer=OBSERVER)
    runs: dict[str, Run] = {}
    programs = [Program(**each | {"path": Path(each["path"])}) for each in planted]
    with closing(Runner(settings)) as runner:
        runner.run([*programs], lambda its, run: runs.update({its.name: run}))
    return {
        name: {"problem": run.problem, "observed": run.observed}
        for name, run in runs.items()
    }


if __name__ == "__main__":
    request = json.load(sys.stdin)
    request["root"] = Path(request["root"])
    json.dump(serve(**request), sys.stdout)
