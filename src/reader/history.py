"""Read the last changes of files from git."""

import os
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True)
class Change:
    """The latest commit that changed a file."""

    seconds: int
    """Time of the commit since the epoch."""

    @property
    def moment(self) -> str:
        time = datetime.fromtimestamp(self.seconds, UTC)
        return time.isoformat().replace("+00:00", "Z")

    @property
    def day(self) -> str:
        return self.moment.partition("T")[0]


class History:
    """The last changes of the files below some folders of a project."""

    def __init__(self, root: Path, folders: tuple[str, ...]) -> None:
        self.revision = _git(root, "rev-parse", "HEAD").strip()
        """Name of the current commit; empty without git."""
        self._changes: dict[str, Change] = {}
        # Commits come newest first, each after a null byte.
        log = _git(
            root, "log", "--relative", "--format=%x00%ct", "--name-only", "--",
            *folders,
        )  # fmt: skip
        for commit in log.split("\0")[1:]:
            seconds, *names = commit.strip().split("\n")
            for name in filter(None, names):
                for path in (Path(name), *Path(name).parents):
                    self._changes.setdefault(path.as_posix(), Change(int(seconds)))

    def last(self, *paths: str) -> Change | None:
        """Return the last change of some files or folders.

        If git has none of them, return the last change of all files, and without git
        the day of the build, if ``SOURCE_DATE_EPOCH`` is set.
        """
        changes = [self._changes[path] for path in paths if path in self._changes]
        if changes := changes or [*self._changes.values()]:
            return max(changes, key=lambda change: change.seconds)
        seconds = os.environ.get("SOURCE_DATE_EPOCH")
        return Change(int(seconds)) if seconds else None


def _git(root: Path, *command: str) -> str:
    """Return the output of a git command, or nothing if it fails."""
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
