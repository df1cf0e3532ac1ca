"""Settings: what ``[tool.tracebook]`` in ``pyproject.toml`` may say."""

import os
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path


class SettingsError(Exception):
    """An unknown, mistyped or impossible setting; exit code 2."""


@dataclass(frozen=True)
class Settings:
    """One book: where its parts are and how its programs are run.

    Paths are relative to ``root``, the folder of ``pyproject.toml``.
    """

    root: Path
    snippets: str = "snippets"
    docs: str = "docs"
    figures: str = "docs/figures"
    preload: tuple[str, ...] = ()
    """Modules imported once, before the first snippet."""
    start_method: str = ""
    """``forkserver`` or ``spawn``; empty: what is safe on this system."""
    jobs: int = 0
    """Snippets at a time; 0: as many as there are cores."""
    time_limit: float = 60.0
    """Seconds that one snippet may take."""
    output_limit: int = 1_000_000
    """Bytes that one snippet may print."""
    rel: float = 1e-5
    """Relative tolerance between two printed numbers."""
    noise: tuple[str, ...] = ()
    """Regular expressions; a line that one of them matches at its start and
    that did not come from Python's own streams is not part of a trace."""

    @property
    def snippets_dir(self) -> Path:
        return self.root / self.snippets

    @property
    def docs_dir(self) -> Path:
        return self.root / self.docs

    @property
    def figures_dir(self) -> Path:
        return self.root / self.figures

    @property
    def workers(self) -> int:
        if self.jobs:
            return self.jobs
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1

    @property
    def noise_pattern(self) -> re.Pattern:
        """One expression for all noise; it matches nothing where none is set."""
        any_of = "|".join(f"(?:{pattern})" for pattern in self.noise)
        return re.compile(f"^(?:{any_of or '(?!)'})", re.MULTILINE)


def load(root: Path) -> Settings:
    """Read the settings of the book in ``root``.

    Raises SettingsError, with the file's name, for anything not understood.
    """
    path = root / "pyproject.toml"
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    known = {f.name: f.type for f in fields(Settings) if f.name != "root"}
    values = {}
    for name, value in table.get("tool", {}).get("tracebook", {}).items():
        if name not in known:
            raise SettingsError(
                f"{path}: [tool.tracebook] unknown setting {name!r};"
                f" known: {', '.join(known)}"
            )
        values[name] = _typed(path, name, value, known[name])
    settings = Settings(root=root, **values)
    if settings.start_method not in ("", "forkserver", "spawn"):
        raise SettingsError(
            f"{path}: start_method is 'forkserver' or 'spawn',"
            f" not {settings.start_method!r}"
        )
    if settings.rel >= 1:
        raise SettingsError(f"{path}: rel = {settings.rel} is not below 1")
    try:
        re.compile(settings.noise_pattern)
    except re.error as error:
        raise SettingsError(f"{path}: noise: {error}") from error
    return settings


def _typed(path: Path, name: str, value, kind):
    if kind == tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return tuple(value)
    elif kind is float:
        if type(value) in (int, float) and value > 0:
            return float(value)
    elif type(value) is kind and (kind is str or value >= 0):
        return value
    wanted = "a list of strings" if kind == tuple[str, ...] else kind.__name__
    raise SettingsError(f"{path}: {name} = {value!r} is not a valid {wanted}")
