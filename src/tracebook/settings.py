"""Settings: what ``[tool.tracebook]`` in ``pyproject.toml`` may say."""

import math
import os
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

_DOCS_DIR = re.compile(r"""^["']?docs_dir["']?[ \t]*:(?P<value>.*)$""", re.MULTILINE)
LOOSEST = 1e-2
"""No relative tolerance is larger: numbers that differ more are others."""
_PLAIN = re.compile(r"""\s*(?:"([^"\\]+)"|'([^']+)'|([\w./ -]+?))\s*(?:\s#.*)?""")


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
    preload: Sequence[str] = ()
    """Modules imported once, before the first snippet."""
    # Forking after an import is unsafe on macOS and impossible on Windows.
    start_method: str = "forkserver" if sys.platform == "linux" else "spawn"
    jobs: int = 0
    """Snippets at a time; if it is not set, as many as there are cores."""
    time_limit: float = 60.0
    """Seconds of the processor that one snippet may take, and ten times as many
    by the clock."""
    output_limit: int = 1_000_000
    """Bytes that one snippet may print."""
    file_limit: int = 1_000_000
    """Bytes of each file that one snippet may draw."""
    rel: float = 1e-5
    """Relative tolerance between two printed numbers."""
    noise: Sequence[str] = ()
    """Regular expressions; a line that one of them matches at its start and
    that did not come from Python's own streams is not part of a trace."""

    again: Sequence[str] = ()
    """Regular expressions; a line that one of them matches at its start is dropped from
    what a program prints for other inputs. For these it runs many times in one process,
    which some libraries warn of."""

    observer: str = ""
    """A module whose ``begin(snippet)`` is called in the process of each program
    before it runs, and what that returns when it has ended: for who judges more
    than a trace. What this returns, as JSON has it, is part of the run."""

    @property
    def of_a_run(self) -> dict[str, Any]:
        """What may change a run; the rest is for judging it."""
        others = ("root", "snippets", "docs", "jobs", "rel", "again")
        every = (field.name for field in fields(self))
        return {name: getattr(self, name) for name in every if name not in others}

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
        """What the engine keeps from one time to another; git ignores it."""
        return self.root / ".cache" / "tracebook"

    @property
    def store_path(self) -> Path:
        """The file of results, shared with whoever checks more than outputs."""
        return self.root / ".cache" / "results.db"

    @property
    def workers(self) -> int:
        return self.jobs or cores()

    @property
    def noise_pattern(self) -> re.Pattern:
        """One expression for all noise; it matches nothing where none is set."""
        return _any_of(self.noise)

    @property
    def again_pattern(self) -> re.Pattern:
        return _any_of(self.again)

    def label(self, path: Path) -> str:
        """A path as messages name it."""
        return path.relative_to(self.root).as_posix()


def _any_of(patterns: Sequence[str]) -> re.Pattern:
    any_of = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re.compile(f"^(?:{any_of or '(?!)'})", re.MULTILINE)


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load(root: Path, docs: str | None = None) -> Settings:
    """Read the settings of the book in ``root``.

    Its pages are in ``docs``, or where ``mkdocs.yml`` has them.
    Raises SettingsError, with the file's name, for anything not understood, and where
    nothing could be judged.
    """
    if sys.flags.optimize:
        raise SettingsError(
            "python -O or PYTHONOPTIMIZE removes every assert, so that what is false"
            " would pass; run without -O, and unset PYTHONOPTIMIZE"
        )
    # One command asks hundreds of times; a served project may change meanwhile.
    names = ("pyproject.toml", "mkdocs.yml", "mkdocs.yaml")
    return _load(root, docs, tuple(_stamp(root / name) for name in names))


def _stamp(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


@lru_cache(maxsize=8)
def _load(root: Path, docs: str | None, _stamps: tuple[int, ...]) -> Settings:
    path = root / "pyproject.toml"
    known = [field.name for field in fields(Settings) if field.name != "root"]
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        values = table.get("tool", {}).get("tracebook", {})
        for name, value in values.items():
            if name not in known:
                raise ValueError(
                    f"[tool.tracebook] unknown setting {name!r};"
                    f" known: {', '.join(known)}"
                )
            if not _is_possible(name, value):
                raise ValueError(f"{name} = {value!r} is not possible")
        if docs is None and (docs := _docs_dir(root)):
            said = values.get("docs", docs)
            if os.path.normpath(said) != os.path.normpath(docs):
                raise ValueError(f"docs = {said!r}, but mkdocs.yml: docs_dir: {docs}")
        settings = Settings(root, **(values | ({"docs": docs} if docs else {})))
        for name in ("snippets", "docs"):
            folder = getattr(settings, name)
            if os.path.isabs(folder) or ".." in Path(folder).parts:
                raise ValueError(f"{name} = {folder!r} is not in the book's folder")
        _ = settings.noise_pattern, settings.again_pattern  # compile
    except (OSError, ValueError, re.error) as error:
        raise SettingsError(f"{path}: {error}") from error
    return settings


def _docs_dir(root: Path) -> str | None:
    """What MkDocs' configuration says of it, read without a YAML package."""
    for name in ("mkdocs.yml", "mkdocs.yaml"):
        if (path := root / name).exists():
            found = _DOCS_DIR.search(path.read_text("utf-8"))
            if not found:
                return None
            if not (plain := _PLAIN.fullmatch(found["value"])):
                raise ValueError(f"{name}: docs_dir is not a plain name of a folder")
            return plain[plain.lastindex or 0]
    return None


def _is_possible(name: str, value: object) -> bool:
    """Whether a value is of its default's type, and in the setting's range."""
    kind = type(getattr(Settings, name))
    if kind is tuple:
        return type(value) is list and all(type(each) is str for each in value)
    if name == "start_method":
        return value in ("forkserver", "spawn")
    if kind is str:
        return type(value) is str
    highest = LOOSEST if name == "rel" else math.inf
    return type(value) in (int, kind) and 0 < float(str(value)) <= highest
