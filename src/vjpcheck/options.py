"""The options of a check of a custom gradient."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SHAPES = (None, False, True, "broadcast")


@dataclass
class Options:
    """The options of ``check_custom_gradient``, and those of the site's build."""

    like: Callable | None = None
    vjp: Callable | None = None
    where: list[Callable] = field(default_factory=list)
    means: Callable | None = None
    """Takes an upstream gradient and all inputs, and returns what is used instead."""
    shapes: bool | str | None = None
    order: int = 2
    needs_second: bool = False
    """True if the second derivative must exist."""
    graph: bool = True
    unknown: bool = True
    """False to try no unknown batch size and rank."""
    xla: bool = False
    slices: bool = True
    """False for a gradient function that shall not be given ``tf.IndexedSlices``."""
    rtol: float | None = None
    atol: float = 0.0


def options_of(where: Callable | None = None, seed: int = 0, **options: Any) -> Options:
    """Return the options of ``check_custom_gradient``. Raises ValueError for a value
    that can't be used, and TypeError for a name that there isn't."""
    parsed = Options(where=[where] if where else [], **options)
    if parsed.like and parsed.vjp:
        raise ValueError("pass like or vjp, not both")
    if parsed.shapes not in SHAPES:
        raise ValueError(f"shapes must be one of {SHAPES}")
    if parsed.order not in (1, 2):
        raise ValueError("order must be 1 or 2: for more, see check_grads")
    if parsed.rtol is not None and not 0 < parsed.rtol <= 0.1:
        raise ValueError(f"rtol={parsed.rtol} proves nothing")
    return parsed
