"""What the committed locks have in common: the packages and the environment that their
verdicts depend on, and which verdicts are tried again, all or today's sample."""

import os
from contextlib import suppress
from datetime import date
from functools import cache
from hashlib import sha256
from importlib import metadata

from tracebook import memory

EVERYTHING = "TRUTH_ALL"
"""The environment variable that has everything tried: ``python -m truth --all``."""
ONE_IN = 20
"""Each verdict of a lock is tried again on one of so many days."""

_PACKAGES = (
    "hypothesis",
    "keras",
    "matplotlib",
    "ml-dtypes",
    "numpy",
    "sympy",
    "tensorflow",
)

_CHOSEN = (
    r"TF2?_(ENABLE|DISABLE|XLA|DETERMINISTIC|USE|BEHAVIOR|FORCE|OVERRIDE|GPU|CUDNN).*"
    r"|(XLA|KERAS|ONEDNN|DNNL|NPY|NUMPY)_.*"
)
"""Variables of the environment by which somebody chooses how numbers are computed. A
machine's own, such as OPENBLAS_CORETYPE, change no verdict any more than its processor
does, and those of Terraform begin with TF_, too."""


@cache
def packages() -> str:
    """The versions that are installed of what programs and tests compute with."""
    return " ".join(f"{name}=={_version(name)}" for name in _PACKAGES)


def _version(name: str) -> str:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return "none"


def chosen() -> dict[str, str]:
    """Those of these variables that are set."""
    found = memory.environment(_CHOSEN)
    if found.get("TF2_BEHAVIOR") == "1":  # TensorFlow sets it when it is imported
        del found["TF2_BEHAVIOR"]
    return found


def everything() -> bool:
    return bool(os.environ.get(EVERYTHING))


def tries_again(*name: str, day: date | None = None, one_in: int = ONE_IN) -> bool:
    """Whether today is the turn of what has this name, or all shall be tried. Then, for
    example, a verdict of a lock isn't taken over."""
    place = int(sha256("\0".join(name).encode()).hexdigest()[:8], 16)
    turn = (day or date.today()).toordinal()
    return everything() or (place + turn) % one_in == 0
