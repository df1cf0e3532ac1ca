"""Build the site beside the last one, and replace it: ``python -m adapters.build``.

MkDocs empties its target first, so each build has a folder of its own, which becomes
``site/`` only if everything passed. One process builds at a time. Exit codes: as of the
other commands; 2 also if another process builds.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from tracebook import command, files, settings
from tracebook.settings import SettingsError

_SHOWN = ("docs", "snippets", "overrides", "tests/claims")
LOCK = ".cache/site.lock"


def exchange(root: Path, build: Callable[[Path], bool]) -> int:
    """Have a site built in a new folder, which becomes ``site/`` if the build passed.

    Args:
        root: the project's root.
        build: builds the site in a folder, and returns whether it passed.

    Returns:
        The exit code.

    Raises:
        SettingsError: another process builds the site.
    """
    try:
        with FileLock(root / LOCK, timeout=0):
            return _exchange(root, build)
    except Timeout:
        raise SettingsError(
            f"another process is building {root / 'site'};"
            " wait until it has ended, and build again"
        ) from None


def _exchange(root: Path, build: Callable[[Path], bool]) -> int:
    site, new, old = root / "site", root / ".site-new", root / ".site-old"
    if old.exists() and not site.exists():  # of a build that was killed
        old.rename(site)
    try:
        for folder in (new, old):
            shutil.rmtree(folder, ignore_errors=True)
        if not build(new):
            return 1
        if site.exists():  # renaming takes an instant, and removing doesn't
            site.rename(old)
        new.rename(site)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return 0


def _build(new: Path) -> bool:
    """Check and build the site; both, so that all problems are reported."""
    os.environ["TRACEBOOK_REMEMBER"] = "1"  # the programs that truth has just run
    before = _last_changes(new.parent)
    codes = [_run("truth"), _run("mkdocs", "build", "--site-dir", str(new))]
    if changed := {path for path, _ in before ^ _last_changes(new.parent)}:
        raise OSError(f"{min(changed)}: changed while the site was built; build again")
    return not any(codes)


def _last_changes(root: Path) -> set[tuple[Path, int]]:
    """Return the files that the site shows, and when each changed last."""
    drawn = settings.load(root).figures_dir  # by this build
    paths = [path for name in _SHOWN for path in files.below(root / name)]
    return {(p, p.stat().st_ctime_ns) for p in paths if not p.is_relative_to(drawn)}


def _run(*words: str) -> int:
    try:
        return subprocess.Popen([sys.executable, "-m", *words]).wait()
    except BaseException:
        # A signal may come before Popen has returned the process.
        children = psutil.Process().children()
        for child in children:
            child.terminate()
        psutil.wait_procs(children, 30)
        raise


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m adapters.build", description=__doc__)
    parser.parse_args()
    sys.exit(command.main("build", lambda: exchange(Path.cwd(), _build)))
