"""What is known of a book before its pages are read."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True)
class Book:
    root: Path
    """The project, in which ``docs`` is."""
    docs: str
    name: str
    description: str = ""
    address: str = ""
    """Where the site is published, with a slash at its end; or unknown."""
    repository: str = ""
    """Where its sources are published; or unknown."""
    branch: str = "main"
    moved: Mapping[str, str] = field(default_factory=dict)
    """Pages by their old address below the site: where they are now."""


@dataclass(frozen=True)
class Change:
    """The last of a file."""

    seconds: int

    @property
    def day(self) -> str:
        return self._time.date().isoformat()

    @property
    def moment(self) -> str:
        return self._time.isoformat().replace("+00:00", "Z")

    @property
    def _time(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)


class History:
    """What git knows of a project; without it, the day of the build."""

    def __init__(self, root: Path, folders: tuple[str, ...]) -> None:
        self.revision = _git(root, "rev-parse", "HEAD").strip()
        self._changes: dict[str, Change] = {}
        # Newest first; a null byte begins a commit.
        log = _git(
            root, "log", "--relative", "--format=%x00%ct", "--name-only", "--",
            *folders,
        )  # fmt: skip
        for commit in log.split("\0")[1:]:
            seconds, *names = commit.strip().split("\n")
            for name in filter(None, names):
                self._changes.setdefault(name, Change(int(seconds)))
        self._folders: dict[str, Change] = {}
        for name, change in self._changes.items():
            for folder in Path(name).parents:
                self._folders.setdefault(folder.as_posix(), change)

    def has(self, path: str) -> bool:
        """Whether a file is published with the sources, and not made by a build."""
        return path in self._changes

    def last(self, *paths: str) -> Change | None:
        """The last change of any of these files or folders; of those that git does
        not know, the last of all."""
        known = [
            change
            for path in paths
            if (change := self._changes.get(path) or self._folders.get(path))
        ] or [*self._changes.values()]
        if known:
            return max(known, key=lambda change: change.seconds)
        said = os.environ.get("SOURCE_DATE_EPOCH")
        return Change(int(said)) if said else None


def _git(root: Path, *command: str) -> str:
    try:
        return subprocess.run(
            ["git", "-c", "core.quotePath=off", *command],
            cwd=root,
            text=True,
            encoding="utf-8",
            capture_output=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
