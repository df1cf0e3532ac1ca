"""``python -m truth.rules.server``: jobs as JSON in, what was found as JSON out.

A process of its own, because each child starts by importing its parent's main
module, which is this small one.
"""

import json
import sys
from pathlib import Path

from tracebook.runner import Run, Runner
from tracebook.settings import Settings
from tracebook.snippet import Snippet

CODE = str(Path(__file__).resolve().parents[2])
PRELOAD = ("tensorflow", "truth.rules.child")


def serve(root: Path, jobs: list[dict]) -> list[dict]:
    """Of each job its findings, or the problem for which there are none."""
    settings = Settings(root=root, preload=PRELOAD, time_limit=1800)
    runner = Runner(settings)
    answers: dict[str, dict] = {}

    def done(snippet: Snippet, run: Run) -> None:
        last = run.trace.rstrip("\n").rpartition("\n")[2]
        try:
            answers[snippet.name] = {"findings": json.loads(last)}
        except ValueError:
            answers[snippet.name] = {"problem": run.problem or run.trace[-2000:]}

    try:
        runner.run([_program(n, job) for n, job in enumerate(jobs)], done)
    finally:
        runner.close()
    return [answers[str(n)] for n in range(len(jobs))]


def _program(n: int, job: dict) -> Snippet:
    source = (
        f"import sys; sys.path.append({CODE!r})\n"
        f"from truth.rules import child; child.main({job!r})\n"
    )
    path = Path(job["path"])
    return Snippet(path, str(n), path.name, source, raises=None, rel=0)


if __name__ == "__main__":
    request = json.load(sys.stdin)
    json.dump(serve(Path(request["root"]), request["jobs"]), sys.stdout)
