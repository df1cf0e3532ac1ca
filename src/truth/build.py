"""Build the site beside the last one, and exchange them: ``python -m truth.build``.

MkDocs empties its target first, so each build has a folder of its own. It takes the
place of ``site/`` only if all holds. One process builds at a time, and puts right what
a killed one left. Exit codes: as of the other commands; 2 also where another builds.
"""

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from tracebook import command
from tracebook.settings import SettingsError

LOCK = ".cache/site.lock"


def exchange(root: Path, build: Callable[[Path], bool]) -> int:
    """Have a site built in a new folder; if it holds, it becomes ``site/``.

    Raises SettingsError while another process does so.
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
    site, old = root / "site", root / ".site-old"
    _put_right(root, site, old)
    new = root / f".site-new-{os.getpid()}"
    try:
        if not build(new):
            return 1
        if not (site.exists() and _swapped(new, site)):
            if site.exists():
                site.rename(old)
            new.rename(site)
    finally:
        _put_right(root, site, old)
    return 0


def _swapped(one: Path, other: Path) -> bool:
    """Whether two folders changed places in one step, which Linux can do: then no
    moment has no site. Elsewhere a kill between two steps leaves it to the next build.
    """
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchanged = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    paths = [os.fsencode(one), os.fsencode(other)]
    return rename is not None and not rename(here, paths[0], here, paths[1], exchanged)


def _put_right(root: Path, site: Path, old: Path) -> None:
    """Whenever a build ended: the last good site is in its place, and alone."""
    if not site.exists() and old.exists():
        old.rename(site)
    for left in (old, *root.glob(".site-new*")):
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)


def _build(new: Path) -> bool:
    """Check and build; both, so that all that is wrong is said."""
    os.environ["TRACEBOOK_REMEMBER"] = "1"  # what truth has just run
    codes = [_run("truth"), _run("mkdocs", "build", "--site-dir", str(new))]
    return not any(codes)


def _run(*words: str) -> int:
    try:
        return subprocess.Popen([sys.executable, "-m", *words]).wait()
    except BaseException:
        # A signal may come before the process has a name here.
        started = psutil.Process().children()
        for each in started:
            each.terminate()
        psutil.wait_procs(started, 30)
        raise


if __name__ == "__main__":
    argparse.ArgumentParser("python -m truth.build", description=__doc__).parse_args()
    sys.exit(command.main("build", lambda: exchange(Path.cwd(), _build)))
