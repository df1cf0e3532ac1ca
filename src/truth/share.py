"""Which results a run must make anew: all, or what changed and today's share.

Claims and custom gradients take long to try, and CI tries all of them. So a run on a
contributor's machine tries those whose files changed, and a tenth of the others,
another tenth each day.
"""

import os
import subprocess
import time
from functools import cache
from hashlib import sha256
from pathlib import Path

EVERYTHING = "TRUTH_ALL"
"""The environment variable that demands everything: ``python -m truth --all``."""
_CHOSEN = "TRUTH_CHOSEN"
PARTS = 10
"""Each thing is due on one of so many days."""
_SECONDS_A_DAY = 24 * 3600


def everything() -> bool:
    """Whether everything is to be tried."""
    return bool(os.environ.get(EVERYTHING))


def demand_everything() -> None:
    """Have this process and those that it starts try everything anew."""
    os.environ[EVERYTHING] = "1"


def demand_chosen() -> None:
    """Have this process and those that it starts take what they check as due."""
    os.environ[_CHOSEN] = "1"


def is_turn(name: str, day: int | None = None, parts: int = PARTS) -> bool:
    """Whether a thing belongs to the share of a day.

    Args:
        name: of the thing.
        day: since 1970; today by default.
        parts: into how many shares all things are divided.
    """
    if everything():
        return True
    turn = int(time.time()) // _SECONDS_A_DAY if day is None else day
    return (int(sha256(name.encode()).hexdigest()[:8], 16) + turn) % parts == 0


def is_due(root: Path, name: str, *paths: str) -> bool:
    """Whether a thing is tried today.

    Args:
        root: the project's folder.
        name: of the thing.
        *paths: its files and folders, below the root.
    """
    return (
        _CHOSEN in os.environ
        or is_turn(name)
        or any(
            changed == path or changed.startswith(f"{path}/")
            for changed in changes(root)
            for path in paths
        )
    )


@cache
def changes(root: Path) -> frozenset[str]:
    """Return the files that differ from the branch that this one follows.

    Without such a branch, these are the uncommitted changes; without git, none.
    """
    base = _git(root, "merge-base", "HEAD", "@{upstream}").strip() or "HEAD"
    changed = _git(root, "diff", "--name-only", "-z", base)
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return frozenset(filter(None, (changed + new).split("\0")))


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    except OSError:
        return ""
    return "" if done.returncode else done.stdout
