"""Run the programs of other frameworks: ``python -m adapters.frameworks [WORD]``.

A program ``NAME.KIND.py`` is the twin of one in TensorFlow. Twins run in an environment
of their own, ``frameworks/.venv``, made from the lock beside it; Keras's run with
each backend. A run that passes is recorded in ``frameworks/runs.json``, which pages
quote. ``update`` rewrites outputs that differ. ``share`` runs what is due today, and
records nothing. Exit codes: as of the other commands.
"""

import json
import os
import shutil
import subprocess
import sys
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from reader import versions
from tracebook import command, files, settings
from tracebook.settings import SettingsError
from truth import due

FOLDER = Path("frameworks")
_LOCK = "requirements.txt"
_NAMES = {"jax": "JAX", "torch": "PyTorch", "keras": "Keras", "mlx": "MLX"}
_MODULES = {"jax": "jax,torch", "torch": "torch", "tensorflow": "tensorflow"}
"""For each backend, what its programs find imported."""
_NOT_INSTALLED = (
    "its packages could not be installed. On Linux these are Python 3.11 and PyTorch's"
    " build for the CPU, from PyTorch's own index, which PIP_EXTRA_INDEX_URL may name"
)


class _Call(NamedTuple):
    """A call of the engine, with a backend of Keras."""

    kinds: tuple[str, ...]
    python: Path
    backend: str


def main(words: list[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    words = sys.argv[1:] if words is None else words
    return command.main("frameworks", lambda: _run(Path.cwd(), words))


def _run(root: Path, words: list[str]) -> int:
    if words not in ([], ["update"], ["share"]):
        raise SettingsError(f"usage: python -m {__spec__.name} [update | share]")
    is_share = words == ["share"]
    verb = "update" if words == ["update"] else "check"
    inside = _environment(root / FOLDER)
    calls = [
        _Call(("jax", "torch", "keras", "mlx"), inside, "jax"),
        _Call(("keras",), inside, "torch"),
        _Call(("keras",), Path(sys.executable), "tensorflow"),
    ]
    snippets = files.below(settings.load(root).snippets_dir)
    programs = [path for path in snippets if path.suffix == ".py"]
    if is_share:
        programs = [path for path in programs if _is_due(path, root)]
    digests: dict[str, str] = {}
    for call in calls:
        paths = [path for path in programs if versions.kind(path.name) in call.kinds]
        if not paths:
            continue
        report = _report(root, call, paths, verb)
        for note in (*report["notes"], *report["problems"]):
            print(f"{note['location']}: {note['message']}")
        if report["problems"]:
            return 1
        for name, parts in report["digests"].items():
            digests[name] = versions.digest(*parts)
        print(f"Keras on {call.backend}: {len(paths)} programs ran")
    if is_share:
        return 0
    record = {"day": date.today().isoformat(), "versions": _versions(inside)}
    text = json.dumps(record | {"programs": dict(sorted(digests.items()))}, indent=1)
    files.write(root / versions.RUNS, f"{text}\n".encode())
    return 0


def _is_due(program: Path, root: Path) -> bool:
    label = program.relative_to(root).as_posix()
    return due.is_due(root, label, label, str(Path(label).with_suffix(".out")))


def _environment(folder: Path) -> Path:
    """Make the environment anew if its lock has changed, and return its Python."""
    lock, venv = folder / _LOCK, folder / ".venv"
    python, copy = venv / "bin/python", venv / _LOCK
    if not (copy.is_file() and copy.read_bytes() == lock.read_bytes()):
        print(f"Setting up {venv}: JAX, PyTorch, Keras and MLX, a download of 400 MB.")
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        install = ("install", "--quiet", "--require-hashes", "--requirement", lock)
        if subprocess.run([python, "-m", "pip", *install]).returncode:
            raise SettingsError(f"{lock}: {_NOT_INSTALLED}")
        shutil.copy(lock, copy)
    # The engine hides the project's folders, but programs may import the checker.
    [packages] = venv.glob("lib/*/site-packages")
    link = packages / "vjpcheck"
    link.unlink(missing_ok=True)
    link.symlink_to(Path(__file__).resolve().parents[1] / link.name)
    return python


def _report(root: Path, call: _Call, paths: list[Path], verb: str) -> dict:
    """Run programs in an environment, and return the engine's report."""
    variables = {
        "KERAS_BACKEND": call.backend,
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
    }
    modules = _MODULES[call.backend]
    done = subprocess.run(
        [call.python, "-m", "tracebook", "--twins", modules, "--json", verb, *paths],
        cwd=root,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
    )
    if not done.stdout:
        raise SettingsError(f"{call.python}: the engine ended with {done.returncode}")
    return json.loads(done.stdout)


def _versions(inside: Path) -> dict[str, str]:
    """Return the versions with which programs of each kind ran, in words."""
    script = "import importlib.metadata as m, sys; print(*map(m.version, sys.argv[1:]))"
    done = subprocess.run(
        [inside, "-c", script, *_NAMES], check=True, capture_output=True, text=True
    )
    numbers = {
        name: f"{_NAMES[name]} {number.partition('+')[0]}"
        for name, number in zip(_NAMES, done.stdout.split())
    }
    tensorflow = f"TensorFlow {metadata.version('tensorflow')}"
    backends = f"{tensorflow}, {numbers['jax']} and {numbers['torch']}"
    return numbers | {"keras": f"{numbers['keras']} on {backends}"}


if __name__ == "__main__":
    sys.exit(main())
