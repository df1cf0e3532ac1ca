"""Remember runs: what each gave, under a key of all that it depends on.

One file a run, below ``.cache/tracebook/runs``: a line with the checksum of the
rest, and the run as JSON. A copy of a book may take them over.
"""

import contextlib
import json
import os
import platform
import re
import sys
import time
from base64 import b64decode, b64encode
from dataclasses import asdict
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

from . import files
from .runner import Run
from .settings import Settings, cores
from .snippet import Snippet

_ENGINE = Path(__file__).parent
_CPUINFO = Path("/proc/cpuinfo")
_DAYS_KEPT = 30
OF_NUMBERS = (
    r"(?!TF_CPP_)(TF|XLA|OMP|KMP|MKL|OPENBLAS|CUDA|ONEDNN|DNNL|KERAS|NUMPY|NPY)_.*"
)
"""Names of variables that may change a number which a program computes. TF_CPP_* only
sets how much TensorFlow's C++ log prints, and outputs leave that log out."""
_OF_RUNS = rf"{OF_NUMBERS}|(LC|LD)_.*|PYTHON(?!DONTWRITE).*|MPL.*|LANG|TZ"


class Memory:
    """The runs of one book that had no problem, kept from one day to another."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.cache_dir / "runs"
        self._world = world(settings)

    def recall(self, snippet: Snippet) -> Run | None:
        """What this program gave; None if that is not known, or damaged."""
        path = self._path(snippet)
        try:
            checksum, _, body = path.read_bytes().partition(b"\n")
            os.utime(path)
        except OSError:
            return None
        if checksum != _hash(body).encode():
            return None
        said = json.loads(body)
        figures = {name: b64decode(each) for name, each in said.pop("figures").items()}
        return Run(**said, figures=figures)

    def keep(self, snippet: Snippet, run: Run) -> None:
        """Keep a run without a problem. A full disk forgets, and nothing fails."""
        figures = {name: b64encode(each).decode() for name, each in run.figures.items()}
        body = json.dumps(asdict(run) | {"figures": figures}).encode()
        with contextlib.suppress(OSError):
            files.write(self._path(snippet), _hash(body).encode() + b"\n" + body)

    def sweep(self) -> None:
        """Forget what nobody asked for in a month."""
        oldest = time.time() - _DAYS_KEPT * 24 * 3600
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _path(self, snippet: Snippet) -> Path:
        key = json.dumps([self._world, snippet.name, snippet.source, snippet.variants])
        return self._folder / _hash(key.encode())


def world(settings: Settings) -> dict[str, Any]:
    """All but the program that a run depends on."""
    flags = re.search(r"^(flags|Features)\b.*", _read(_CPUINFO), re.MULTILINE)
    return {
        "settings": settings.of_a_run,
        "engine": [_hash(path.read_bytes()) for path in sorted(_ENGINE.glob("*.py"))],
        "interpreter": [sys.version, sys.platform, platform.libc_ver()],
        "processor": [platform.machine(), cores(), flags and flags[0]],
        "packages": sorted(
            f"{each.name} {each.version}" for each in metadata.distributions()
        ),
        "environment": environment(_OF_RUNS),
    }


def environment(names: str) -> dict[str, str]:
    """The variables of the environment whose names a regular expression matches."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if re.fullmatch(names, name)
    }


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
