"""What the committed locks have in common: the packages that their verdicts depend on,
and which verdicts are tried again, all or today's sample."""

import os
import re
from datetime import date
from hashlib import sha256
from pathlib import Path

EVERYTHING = "TRUTH_ALL"
"""The environment variable that has everything tried: ``python -m truth --all``."""
ONE_IN = 20
"""Each verdict of a lock is tried again on one of so many days."""

_PACKAGES = ("tensorflow", "keras", "numpy", "ml-dtypes", "hypothesis", "sympy")


def packages(root: Path) -> str:
    """The locked versions of what programs and tests compute with."""
    path = root / "requirements.txt"
    locked = path.read_text("utf-8") if path.is_file() else ""
    names = "|".join(_PACKAGES)
    return " ".join(re.findall(rf"(?m)^(?:{names})==[^\s;]+", locked))


def everything() -> bool:
    return bool(os.environ.get(EVERYTHING))


def tries_again(*name: str, day: date | None = None) -> bool:
    """Whether a verdict of a lock isn't taken over, because its turn has come."""
    place = int(sha256("\0".join(name).encode()).hexdigest()[:8], 16)
    turn = (day or date.today()).toordinal()
    return everything() or (place + turn) % ONE_IN == 0
