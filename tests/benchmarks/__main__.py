"""The command: ``python -m tests.benchmarks [--quick | --only PART | --jax PYTHON]``,
from the project's root.

It writes ``tests/benchmarks/results.json`` and, from it, ``docs/benchmark.md``. With
``--only`` it measures one set of programs, serving or the checkers, and keeps the rest.
With ``--jax`` it measures the checker beside JAX's, which needs a Python with JAX; without
this option it keeps what is known of that. A quick run only prints one round of ten small
programs.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from datetime import date
from importlib.metadata import version
from pathlib import Path

import psutil

from . import books, checkers, contenders, memory, page, serving

# Rounds of the quick contenders, and of the slow ones.
ROUNDS = {"own": (1, 0), "10": (3, 1), "100": (2, 1), "400": (1, 0)}
EDITS = 3
SERVING = "serving"
CHECKERS = "checkers"
JAX = "jax"
RESULTS = books.ROOT / "tests/benchmarks/results.json"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument(
        "--quick", action="store_true", help="print one round of ten small programs"
    )
    parser.add_argument(
        "--only", choices=[*ROUNDS, SERVING, CHECKERS], help="measure this alone"
    )
    parser.add_argument(
        "--jax", metavar="PYTHON", help="measure the checker beside JAX's alone"
    )
    arguments = parser.parse_args()
    quick = arguments.quick
    if arguments.jax:
        _save(_known() | {JAX: checkers.measure_beside_jax(arguments.jax)})
        return
    if arguments.only:
        _save(_again(arguments.only))
        return
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
            contenders.ENVIRONMENT[variable] = os.environ[variable] = name
        results = {
            "machine": _machine(),
            "sets": {
                key: _measure(folder / key, key, *((1, 1) if quick else rounds))
                for key, rounds in ROUNDS.items()
                if key == "10" or not quick
            },
            **_while_serving(folder, 2 if quick else EDITS),
            CHECKERS: checkers.measure(),
            JAX: _known()[JAX],
        }
    if quick:
        print(page.render(results))
    else:
        _save(results)


def _known() -> dict:
    return json.loads(RESULTS.read_text("utf-8"))


def _again(key: str) -> dict:
    """What is known, with one part measured anew."""
    results = _known()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        if key == SERVING:
            results |= _while_serving(Path(name), EDITS)
        elif key == CHECKERS:
            results[CHECKERS] = checkers.measure()
        else:
            results["sets"][key] = _measure(Path(name) / key, key, *ROUNDS[key])
    return results


def _while_serving(folder: Path, edits: int) -> dict:
    return {
        SERVING: serving.measure(folder, edits),
        "profile": _profile(folder / "serve-bare"),
    }


def _save(results: dict) -> None:
    shown = json.dumps(results, indent=1, ensure_ascii=False)
    RESULTS.write_text(shown + "\n", "utf-8")
    (books.ROOT / "docs/benchmark.md").write_text(page.render(results), "utf-8")
    print(page.render(results))


def _measure(root: Path, key: str, rounds: int, slow_rounds: int) -> dict:
    book = books.own(root) if key == "own" else books.synthetic(root, int(key))
    contenders.build(book)  # compiles modules, and fills the caches of disks
    seconds: dict[str, list[float]] = {}
    for turn in range(rounds):
        turns = list(contenders.QUICK)
        if key in ("10", "100"):
            turns += contenders.OTHERS
        if turn < slow_rounds:
            turns += contenders.SLOW
        if key == "own":
            turns += contenders.WHOLE
        for contender in turns[turn % len(turns) :] + turns[: turn % len(turns)]:
            took = contender(book)
            for name, each in took.items():
                seconds.setdefault(name, []).append(each)
            print(
                f"{key}, round {turn + 1}: {next(iter(took))}"
                f" {next(iter(took.values())):.1f} s",
                file=sys.stderr,
                flush=True,
            )
    peaks = {
        name: memory.peak(book, config)
        for name, config in (("tracebook", "mkdocs.yml"), ("bare", "bare.yml"))
    }
    title = "{} of the site" if key == "own" else "{} small"
    return {
        "title": title.format(len(book.programs)),
        "date": date.today().isoformat(),
        "seconds": seconds,
        "memory": peaks,
    }


def _profile(root: Path) -> dict[str, float]:
    script = Path(__file__).with_name("rebuild.py")
    return json.loads(contenders.run(script, cwd=root, PYTHONPATH=str(root)))


def _machine() -> dict[str, str]:
    cpu = Path("/proc/cpuinfo").read_text().split("model name\t: ")
    packages = (
        "mkdocs",
        "mkdocs-material",
        "nbclient",
        "mkdocs-jupyter",
        "markdown-exec",
    )
    return {
        "Processor": cpu[1].splitlines()[0] if len(cpu) > 1 else platform.machine(),
        "Cores": str(contenders.CORES),
        "Memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "System": platform.system(),
        "Python": platform.python_version(),
        "TensorFlow": version("tensorflow"),
        "Others": ", ".join(f"{name} {version(name)}" for name in packages),
    }


main()
