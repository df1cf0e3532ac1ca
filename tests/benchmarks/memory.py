"""The memory of a build: the peak of what all of its processes hold."""

import subprocess
import sys
import time
from pathlib import Path

import psutil

from .books import Book
from .contenders import ENVIRONMENT


def peak(book: Book, config: str) -> float:
    """MiB of a whole build, shared pages counted once (PSS), every 50 ms.

    A sample during which a process came or went would count pages twice.
    """
    building = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "build", "-f", config],
        cwd=book.root,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    first, most = psutil.Process(building.pid), 0
    while building.poll() is None:
        family = first.children(recursive=True)
        held = sum(_proportional(each.pid) for each in [first, *family])
        if first.children(recursive=True) == family:
            most = max(most, held)
        time.sleep(0.05)
    if building.returncode:
        raise RuntimeError(f"{config} was not built")
    return most / 1024


def _proportional(process: int) -> int:
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    return next(
        (
            int(line.split()[1])
            for line in rollup.splitlines()
            if line.startswith("Pss:")
        ),
        0,
    )
