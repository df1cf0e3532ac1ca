"""Which verdicts of the committed locks are tried again: all, or today's sample."""

import os
from datetime import date
from hashlib import sha256

EVERYTHING = "TRUTH_ALL"
"""The environment variable that has everything tried: ``python -m truth --all``."""
ONE_IN = 20
"""Each verdict of a lock is tried again on one of so many days."""


def everything() -> bool:
    return bool(os.environ.get(EVERYTHING))


def tries_again(*name: str, day: date | None = None) -> bool:
    """Whether a verdict of a lock isn't taken over, because its turn has come."""
    place = int(sha256("\0".join(name).encode()).hexdigest()[:8], 16)
    turn = (day or date.today()).toordinal()
    return everything() or (place + turn) % ONE_IN == 0
