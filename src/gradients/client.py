"""Have programs run in another process, which checks their custom gradients.

Each program runs in a process of its own. There, ``observer`` records the calls of its
custom gradients, and ``checker`` repeats them at other points and compares them with
finite differences, or with what comments declare (see ``definitions``).
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

CODE = Path(__file__).resolve().parents[1]
OBSERVER = "gradients.checker"
POSTPONED = "TRUTH_POSTPONED"
"""The environment variable with the names of programs whose custom gradients aren't
checked today. Their calls are recorded all the same, for comparison with formulas."""
WRONG = "wrong"
"""The folder of deliberately wrong programs."""


@dataclass(frozen=True)
class GradientResult:
    """The result for one custom gradient, or for one declaration."""

    line: int
    text: str
    """The definition, such as ``custom_gradient square``."""
    state: str
    """``tried``, ``failed`` or ``not run``."""
    detail: str
    expected_failure: bool = False
    """True if it is deliberately wrong, and was found to be wrong."""
    calls: list[dict] = field(default_factory=list)
    """Calls while the program ran, as ``RecordedCall.as_json`` returns them."""


@dataclass(frozen=True)
class Observation:
    """The results and values that were observed in one program."""

    gradients: list[GradientResult]
    """In the order of the lines."""
    local_values: list[list[dict]]
    """For each function, and for the program itself, some calls: the values of its
    variables when it returned, and what it returned."""


def check_programs(
    paths: list[Path], root: Path, postponed: Collection[str] = ()
) -> tuple[dict, dict[str, Observation]]:
    """Run programs once, compare their outputs, and check their custom gradients.

    Args:
        paths: the programs.
        root: the project's folder.
        postponed: names of programs whose custom gradients aren't checked today. The
            state of these is ``not run``.

    Returns:
        The engine's report, as JSON has it, and the observation in each program by the
        name of the program.
    """
    process = subprocess.run(
        [sys.executable, "-m", "gradients.server", str(root.resolve())],
        cwd=CODE,
        text=True,
        input=json.dumps(list(map(str, paths))),
        stdout=subprocess.PIPE,
        env={**os.environ, POSTPONED: json.dumps([*postponed])},
    )
    if process.returncode:
        raise ChildProcessError(f"their process ended with code {process.returncode}")
    report, observations = json.loads(process.stdout), {}
    for name, data in report["observed"].items():
        data = data or {"gradients": [], "local_values": []}  # it ended too early
        gradients = [GradientResult(**result) for result in data["gradients"]]
        observations[name] = Observation(gradients, data["local_values"])
    return report, observations
