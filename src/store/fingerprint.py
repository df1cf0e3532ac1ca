"""Fingerprints: digests of all that a result depends on beside its own input."""

import json
import os
import platform
import re
import sys
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from tracebook.settings import SettingsError, cores

_SOURCES = Path(__file__).resolve().parents[1]
_CPUINFO = Path("/proc/cpuinfo")
_VARIABLES = re.compile(
    r"(?!TF_CPP_)(TF|XLA|OMP|KMP|MKL|OPENBLAS|CUDA|ONEDNN|DNNL|KERAS|NUMPY|NPY)_.*"
    r"|(LC|LD)_.*|PYTHON(?!DONTWRITE).*|MPL.*|LANG|TZ"
)
"""Environment variables that may change what a program prints. TF_CPP_* only sets how
much TensorFlow's C++ log prints, and outputs leave that log out."""


def digest(*parts: str | bytes) -> str:
    """Return a digest of texts and bytes, in their order."""
    total = sha256()
    for part in parts:
        if isinstance(part, str):
            part = part.encode(errors="surrogateescape")
        total.update(b"%d:" % len(part) + part)
    return total.hexdigest()


@cache
def environment() -> str:
    """Return a digest of interpreter, machine, packages and environment variables."""
    flags = re.search(r"^(flags|Features)\b.*", _text(_CPUINFO), re.MULTILINE)
    packages = sorted(f"{d.name} {d.version}" for d in metadata.distributions())
    variables = sorted(os.environ.items())
    return digest(
        *(sys.version, sys.platform, platform.machine(), *platform.libc_ver()),
        *(str(cores()), flags[0] if flags else ""),
        *packages,
        json.dumps([pair for pair in variables if _VARIABLES.fullmatch(pair[0])]),
    )


@cache
def code(*parts: str) -> str:
    """Return a digest of files of code.

    Args:
        *parts: folders or files below ``src/``; of a folder the files of Python and
            TOML count.

    Raises:
        SettingsError: other code runs than that of ``src/``.
    """
    _refuse_foreign_packages()
    files = {
        path
        for part in parts
        for path in [_SOURCES / part, *(_SOURCES / part).rglob("*.*")]
        if path.suffix in (".py", ".toml") and path.is_file()
    }
    return digest(
        *(
            content
            for path in sorted(files)
            for content in (path.relative_to(_SOURCES).as_posix(), path.read_bytes())
        )
    )


def _refuse_foreign_packages() -> None:
    """Raise SettingsError if a package isn't that of ``src/``, beside ``.venv``."""
    src = Path(sys.prefix).parent / "src"
    for name, module in [*sys.modules.items()]:
        if not (src / name / "__init__.py").is_file():
            continue
        path = Path(getattr(module, "__file__", None) or src).resolve()
        if not path.is_relative_to(src.resolve()):
            advice = "unset PYTHONPATH, or move it away"
            raise SettingsError(f"{path} takes the place of {src / name}; {advice}")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
