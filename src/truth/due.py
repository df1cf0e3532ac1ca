"""Decide which claims and custom gradients a run must check again.

They take long. The workflow checks all of them before it publishes; other runs check
those whose files changed, and a tenth of the others, another tenth each day.
"""

import os
import subprocess
import time
from functools import cache
from hashlib import sha256
from pathlib import Path

EVERYTHING, SELECTION = "TRUTH_ALL", "TRUTH_SELECTION"
"""The environment variables that make everything or the selected pages due."""
SHARES = 10
"""Each thing is due on one of so many days."""
_SECONDS_PER_PUSH = 6 * 3600


def is_everything() -> bool:
    """Return whether everything is due."""
    return bool(os.environ.get(EVERYTHING))


def is_today(name: str, day: int | None = None, shares: int = SHARES) -> bool:
    """Return whether a thing is in the share of today, or of another day since 1970."""
    if is_everything():
        return True
    today = int(time.time()) // (24 * 3600) if day is None else day
    return (int(sha256(name.encode()).hexdigest()[:8], 16) + today) % shares == 0


def is_due(root: Path, name: str, *paths: str) -> bool:
    """Return whether a thing, with files and folders below the root, is due today."""
    if SELECTION in os.environ or is_today(name):
        return True
    folders = tuple(f"{path}/" for path in paths)
    return any(f"{changed}/".startswith(folders) for changed in changed_files(root))


@cache
def changed_files(root: Path) -> frozenset[str]:
    """Return the files that differ from the branch that this one follows.

    Without such a branch, these are the uncommitted changes; without git, none. In CI,
    they include those of the commits of the last hours, which no other run checked.
    """
    base = (git(root, "merge-base", "HEAD", "@{upstream}") or "HEAD").strip()
    changed = git(root, "diff", "--name-only", "-z", base) or ""
    changed += git(root, "ls-files", "--others", "--exclude-standard", "-z") or ""
    if os.environ.get("CI") and (last := git(root, "log", "-1", "--format=%ct")):
        since = f"--since={int(last) - _SECONDS_PER_PUSH}"
        changed += git(root, "log", since, "--format=", "--name-only", "-z") or ""
    return frozenset(filter(None, changed.split("\0")))


def git(root: Path, *words: str) -> str | None:
    """Return what a command of git prints, or None if it fails."""
    try:
        run = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    except OSError:
        return None
    return None if run.returncode else run.stdout
