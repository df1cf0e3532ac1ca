"""Which trace holds on which versions: ``python -m tests.drills.matrix``.

For each pair of a Python and a TensorFlow, a throw-away environment with the
engine, TensorFlow and NumPy; in it every snippet runs once. The table goes to
``docs/versions.md``.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

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
]
SNIPPETS = ROOT / "snippets"
RESULTS = ROOT / "docs" / versions.RESULTS
PAGE = ROOT / "docs/versions.md"
MOST = 12
"""Lines of a difference that the page shows."""

# Runs inside the environment: versions, and the problem of each snippet.
JUDGE = """
import importlib.metadata, json, platform, sys
sys.path.append("src")
from pathlib import Path
from tracebook.judge import Judge
from tracebook.settings import load
judge = Judge(load(Path.cwd()))
report = judge.judge(progress=lambda *_: None)
judge.close()
version = importlib.metadata.version
json.dump({
    "python": platform.python_version(), "tensorflow": version("tensorflow"),
    "keras": version("keras"), "numpy": version("numpy"),
    "problems": {p.name: p.text for p in report.problems if p.name}}, sys.stdout)
"""


@dataclass
class Result:
    """What one pair of versions gave; ``problems`` by the program's name."""

    python: str
    tensorflow: str
    keras: str
    numpy: str
    problems: dict[str, str]


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


def judge(python: str, tensorflow: str) -> Result:
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
        environment = Path(folder, "venv")
        subprocess.run([interpreter(python), "-m", "venv", environment], check=True)
        inside = environment / "bin/python"
        subprocess.run(
            [
                inside,
                "-m",
                "pip",
                "install",
                "--quiet",
                f"tensorflow=={tensorflow}",
                "numpy",
                "matplotlib",
            ],
            check=True,
        )
        done = subprocess.run(
            [inside, "-c", JUDGE],
            cwd=ROOT,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return Result(**json.loads(done.stdout))


def programs() -> dict[str, str]:
    """All, with the digest of each and its trace as they are now."""
    return {
        path.relative_to(SNIPPETS).as_posix(): versions.digest(
            path.read_text("utf-8"), path.with_suffix(".out").read_text("utf-8")
        )
        for path in sorted(SNIPPETS.rglob("*.py"))
    }


def page(results: list[Result], number: int, day: str) -> str:
    lines = [
        "# Where the traces hold",
        "",
        f"Each snippet that there was on {day} ran with these versions, each in an",
        "environment of its own, on a CPU. `python -m tests.drills.matrix` wrote this",
        "page; a trace holds where the program prints what its page shows,",
        "within the tolerance of"
        " [the comparison](checked.md#when-two-traces-are-equal). It is there",
        "[as data](versions.json), too, and behind each trace.",
        "",
        "| TensorFlow | Python | Keras | NumPy | traces that hold |",
        "| --- | --- | --- | --- | --- |",
    ]
    for r in results:
        lines.append(
            f"| {r.tensorflow} | {r.python} | {r.keras} | {r.numpy}"
            f" | {number - len(r.problems)} of {number} |"
        )
    for name in sorted({name for r in results for name in r.problems}):
        where = [r for r in results if name in r.problems]
        differs = ", ".join(
            f"TensorFlow {r.tensorflow} on Python {r.python}" for r in where
        )
        lines += [
            "",
            f"`{name}` differs with {differs}:",
            "<!-- proof: tests/test_measured_pages.py -->",
            "",
            "```text",
            *_first(where[0].problems[name]),
            "```",
        ]
    return "\n".join([*lines, ""])


def _first(text: str) -> list[str]:
    lines = text.splitlines()
    return lines if len(lines) <= MOST else [*lines[:MOST], "…"]


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
    results = []
    for python, tensorflow in [p.split(":") for p in given] if given else PAIRS:
        result = judge(python, tensorflow)
        results.append(result)
        print(
            f"Python {result.python}, TensorFlow {result.tensorflow}:"
            f" {len(ran) - len(result.problems)} of {len(ran)} traces hold",
            flush=True,
        )
        for name, text in result.problems.items():
            print(f"{name}: {text}", flush=True)
    if not given:
        day = date.today().isoformat()
        known = {"day": day, "programs": ran, "results": list(map(asdict, results))}
        RESULTS.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
        PAGE.write_text(page(results, len(ran), day), "utf-8")


if __name__ == "__main__":
    main()
