"""The versions with which programs ran.

Programs run when the site is built, except those of other frameworks, ``NAME.KIND.py``:
``make frameworks`` runs them, and writes the day, the versions, and a digest of each
program and its output to ``frameworks/runs.json``.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RUNS = "frameworks/runs.json"
"""The record of runs, below the project's root."""


class ResultsError(Exception):
    """The record of runs is damaged. The message has its name."""


@dataclass(frozen=True)
class RunsRecord:
    """The last runs of programs of other frameworks."""

    day: str
    versions: Mapping[str, str]
    """Versions in words, by the kinds of programs."""
    programs: Mapping[str, str]
    """Digests of programs and outputs, by the names of programs."""


def kind(name: str) -> str:
    """Return the framework of a program ``NAME.KIND.py``, or nothing."""
    parts = name.rpartition("/")[2].split(".")
    return parts[-2] if len(parts) > 2 else ""


def digest(*texts: str) -> str:
    """Return a digest of texts."""
    return sha256("\0".join(texts).encode()).hexdigest()[:12]


@cache
def packages() -> dict[str, str]:
    """Return the versions of the packages that programs of the site use, by name."""
    versions = {}
    for name in ("TensorFlow", "Keras", "NumPy"):
        with suppress(PackageNotFoundError):
            versions[name] = version(name.lower())
    return versions


def in_words(versions: Mapping[str, str]) -> str:
    """Return versions by name as text: ``TensorFlow 2.21.0, Keras 3.15.0``."""
    return ", ".join(f"{name} {number}" for name, number in versions.items())


def load(root: Path) -> RunsRecord:
    """Return the record of a project, or an empty one.

    Raises:
        ResultsError: The file is damaged.
    """
    path = root / RUNS
    if not path.exists():
        return RunsRecord("", {}, {})
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> RunsRecord:
    try:
        return RunsRecord(**json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise ResultsError(f"{path}: {error!r}; 'make frameworks' writes it") from error
