"""Which trace holds on which versions: ``python -m tests.drills.matrix``.

For each pair of a Python and a TensorFlow, a throw-away environment with the
engine, TensorFlow and NumPy. In it every snippet runs once with oneDNN's kernels
and once without. The results go to ``docs/versions.json``, and stand behind each
program that hasn't changed since. A run of some pairs replaces the results of these
pairs and keeps all others.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from reader import versions

ROOT = Path(__file__).resolve().parents[2]
PAIRS = [
    ("3.11", "2.21.*"),
    ("3.12", "2.21.*"),
    ("3.13", "2.21.*"),
    ("3.11", "2.20.*"),
    ("3.12", "2.20.*"),
    ("3.13", "2.20.*"),
    ("3.11", "2.19.*"),
    ("3.11", "2.18.*"),
    ("3.14", "2.22.0rc0"),
]
SNIPPETS = ROOT / "snippets"
RESULTS = ROOT / "docs" / versions.RESULTS
DEFAULT, ON, OFF = "default", "on", "off"
ONE_DNN = {ON: "1", OFF: "0"}
"""Values of the variable ``TF_ENABLE_ONEDNN_OPTS``. Without it, TensorFlow chooses."""

# Runs inside the environment: versions, and the problem of each snippet. A release
# candidate of TensorFlow depends on Keras under another name.
CHECK = """
import importlib.metadata, json, platform, sys
sys.path.append("src")
from pathlib import Path
from tracebook.checker import Checker
from tracebook.settings import load
checker = Checker(load(Path.cwd()))
report = checker.check(progress=lambda *_: None)
checker.close()
version = importlib.metadata.version
[keras] = set(importlib.metadata.packages_distributions()["keras"])
json.dump({
    "python": platform.python_version(), "tensorflow": version("tensorflow"),
    "keras": version(keras), "numpy": version("numpy"),
    "problems": {p.name: p.message for p in report.problems if p.name}}, sys.stdout)
"""


@dataclass
class Result:
    """What one pair of versions gave; ``problems`` by the program's name."""

    python: str
    tensorflow: str
    keras: str
    numpy: str
    problems: dict[str, str]
    one_dnn: str = DEFAULT
    day: str = ""
    untried: list[str] = field(default_factory=list)
    """Programs that are new or changed since that day."""

    @property
    def versions(self) -> str:
        """As the page names them below its table."""
        with_it = "" if self.one_dnn == DEFAULT else f" with oneDNN {self.one_dnn}"
        return f"TensorFlow {self.tensorflow} on Python {self.python}{with_it}"


def interpreter(version: str) -> str:
    """A Python of this version: on the path, or among those of pyenv."""
    candidates = [
        f"python{version}",
        *map(str, sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))),
    ]
    for name in candidates:
        path = shutil.which(name)
        if (
            path
            and subprocess.run(
                [path, "-c", "import ensurepip"], capture_output=True
            ).returncode
            == 0
        ):
            return path
    sys.exit(f"no Python {version} on this machine")


def judge(python: str, tensorflow: str) -> Iterator[Result]:
    """Runs all programs in one environment, with oneDNN and then without."""
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
        environment = Path(folder, "venv")
        subprocess.run([interpreter(python), "-m", "venv", environment], check=True)
        inside = environment / "bin/python"
        needed = [f"tensorflow=={tensorflow}", "numpy", "matplotlib"]
        subprocess.run([inside, "-m", "pip", "install", "--quiet", *needed], check=True)
        for one_dnn, value in ONE_DNN.items():
            done = subprocess.run(
                [inside, "-c", CHECK],
                cwd=ROOT,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "TF_ENABLE_ONEDNN_OPTS": value},
            )
            day = date.today().isoformat()
            yield Result(**json.loads(done.stdout), one_dnn=one_dnn, day=day)


def programs() -> dict[str, str]:
    """All, with the digest of each and its trace as they are now."""
    return {
        path.relative_to(SNIPPETS).as_posix(): versions.digest(
            path.read_text("utf-8"), path.with_suffix(".out").read_text("utf-8")
        )
        for path in sorted(SNIPPETS.rglob("*.py"))
    }


def kept(known: dict[str, Any], ran: dict[str, str]) -> Iterator[Result]:
    """The results so far; what differs from what ``ran`` isn't tried with them."""
    then = known["programs"]
    changed = {name for name, now in ran.items() if then.get(name) != now}
    for each in known["results"]:
        result = Result(**each)
        result.untried = sorted(changed.union(result.untried) & ran.keys())
        gone = result.problems.keys() - ran.keys() | changed
        result.problems = {k: v for k, v in result.problems.items() if k not in gone}
        yield result


def merged(old: Iterable[Result], new: Sequence[Result]) -> list[Result]:
    """Each new result in place of the old ones of its versions, and oneDNN on first."""
    given = {(r.python, r.tensorflow) for r in new}
    rest = [r for r in old if (r.python, r.tensorflow) not in given]
    return sorted([*rest, *new], key=_newest_first)


def _newest_first(result: Result) -> tuple[list[int], list[int], bool]:
    """TensorFlow's versions from new to old, and Python's from old to new."""
    tensorflow = [-int(part) for part in result.tensorflow.split(".")[:2]]
    python = [int(part) for part in result.python.split(".")]
    return tensorflow, python, result.one_dnn == OFF


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.drills.matrix")
    parser.add_argument(
        "--pair",
        action="append",
        metavar="PYTHON:TENSORFLOW",
        help="such as 3.12:2.21.* (default: all that are promised)",
    )
    given = parser.parse_args().pair
    ran = programs()  # before the first run, for one may be edited meanwhile
    shown = [*kept(json.loads(RESULTS.read_text("utf-8")), ran)] if given else []
    for python, tensorflow in [p.split(":") for p in given] if given else PAIRS:
        results = []
        for result in judge(python, tensorflow):
            results.append(result)
            print(
                f"{result.versions}:"
                f" {len(ran) - len(result.problems)} of {len(ran)} traces hold",
                flush=True,
            )
            for name, text in result.problems.items():
                print(f"{name}: {text}", flush=True)
        shown = merged(shown, results)
        write(shown, ran)  # so that a run that is stopped keeps what it found


def write(shown: Sequence[Result], ran: dict[str, str]) -> None:
    known = {"programs": ran, "results": list(map(asdict, shown))}
    RESULTS.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
