"""The settings of a project: the table ``[tool.tracebook]`` of ``pyproject.toml``."""

import os
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

LOOSEST = 1e-2
"""The largest relative tolerance: numbers that differ more are different numbers."""
_NOT_OF_A_RUN = ("root", "snippets", "docs", "jobs", "rel", "memory", "plugins")


class SettingsError(Exception):
    """An unknown, mistyped or impossible setting; exit code 2."""


@dataclass(frozen=True)
class Settings:
    """The settings of one project.

    Paths are relative to ``root``, the folder of ``pyproject.toml``.
    """

    root: Path
    snippets: str = "snippets"
    docs: str = "docs"
    preload: Sequence[str] = ()
    """Modules that are imported once, before the first program."""
    # Forking after an import is unsafe on macOS and impossible on Windows.
    start_method: str = "forkserver" if sys.platform == "linux" else "spawn"
    jobs: int = 0
    """Programs at a time; 0 for as many as there are cores."""
    time_limit: float = 60.0
    """Seconds of processor time for one program, and ten times as many by the clock."""
    output_limit: int = 1_000_000
    """Bytes that one program may print."""
    file_limit: int = 1_000_000
    """Bytes of each figure."""
    rel: float = 1e-5
    """Relative tolerance between two printed numbers."""
    noise: Sequence[str] = ()
    """Regular expressions. A line that one of them matches at its start belongs to no
    output, unless Python's own streams printed it."""
    keep: Sequence[str] = ()
    """Environment variables that programs get beside ``environment.KEPT``."""
    observer: str = ""
    """A module whose ``begin(snippet)`` is called in the process of each program before
    it runs, and what that returns when it has ended. The result is part of the run."""
    memory: str = ""
    """A class that keeps passed runs for ``--remember``: a ``memory.Memory``, such as
    ``store.runs:StoredRuns``."""
    plugins: Sequence[str] = ()
    """Modules that check more: see ``checker.PluginContext``."""
    twins: bool = False
    """Whether to run the programs ``NAME.KIND.py``, and no others: those of another
    environment, with its interpreter."""

    @property
    def of_a_run(self) -> dict[str, Any]:
        """The settings on which the run of a program depends."""
        names = (field.name for field in fields(self))
        return {n: getattr(self, n) for n in names if n not in _NOT_OF_A_RUN}

    @property
    def snippets_dir(self) -> Path:
        return self.root / self.snippets

    @property
    def docs_dir(self) -> Path:
        return self.root / self.docs

    @property
    def figures_dir(self) -> Path:
        return self.docs_dir / "figures"

    @property
    def cache_dir(self) -> Path:
        """The folder of files that last from one check to another; git ignores it."""
        return self.root / ".cache" / "tracebook"

    @property
    def workers(self) -> int:
        return self.jobs or cores()

    @property
    def noise_pattern(self) -> re.Pattern:
        """An expression that matches all noise, and nothing if there is none."""
        return any_of(self.noise)

    def label(self, path: Path) -> str:
        """Return a path as messages name it."""
        return path.relative_to(self.root).as_posix()


def any_of(patterns: Sequence[str]) -> re.Pattern:
    """Return an expression that matches lines that begin as one of the patterns."""
    alternatives = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re.compile(f"^(?:{alternatives or '(?!)'})", re.MULTILINE)


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def table(root: Path, name: str) -> dict[str, Any]:
    """Return a table of ``[tool]`` in ``pyproject.toml``, or an empty one."""
    path = root / "pyproject.toml"
    try:
        return tomllib.loads(path.read_text("utf-8")).get("tool", {}).get(name, {})
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from error


def load(root: Path, docs: str | None = None) -> Settings:
    """Read the settings of a project.

    Args:
        root: the folder of ``pyproject.toml``.
        docs: the folder of pages, if it isn't the one of the settings.

    Raises:
        SettingsError: a setting isn't understood, or nothing could be checked.
    """
    if sys.flags.optimize:
        raise SettingsError(
            "python -O or PYTHONOPTIMIZE removes every assert, so that what is false"
            " would pass; run without -O, and unset PYTHONOPTIMIZE"
        )
    # Some callers load settings hundreds of times. While a site is served, they change.
    path = root / "pyproject.toml"
    return _load(root, docs, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=8)
def _load(root: Path, docs: str | None, _changed: int) -> Settings:
    values = table(root, "tracebook") | ({"docs": docs} if docs else {})
    names = [field.name for field in fields(Settings) if field.name != "root"]
    try:
        for name, value in values.items():
            if name not in names:
                raise ValueError(
                    f"[tool.tracebook] unknown setting {name!r};"
                    f" known: {', '.join(names)}"
                )
            if not _is_possible(name, value):
                raise ValueError(f"{name} = {value!r} is not possible")
        settings = Settings(root, **values)
        _ = settings.noise_pattern  # compile it
    except (ValueError, re.error) as error:
        raise SettingsError(f"{root / 'pyproject.toml'}: {error}") from error
    return settings


def _is_possible(name: str, value: Any) -> bool:
    """Return whether a value is of its default's type, and in the setting's range."""
    kind = type(getattr(Settings, name))
    if kind is tuple:
        return type(value) is list and all(type(part) is str for part in value)
    if name == "start_method":
        return value in ("forkserver", "spawn")
    if kind is str:
        is_folder = name in ("snippets", "docs")
        return type(value) is str and not (
            is_folder and (os.path.isabs(value) or ".." in Path(value).parts)
        )
    highest = LOOSEST if name == "rel" else 1e9
    return type(value) in (int, kind) and 0 < float(value) <= highest
