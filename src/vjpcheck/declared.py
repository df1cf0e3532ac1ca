"""What is declared of a gradient function beyond its code."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

WIDEST = 0.01
"""Tolerance, relative, that still proves something."""

Choice = float | Mapping[object, float] | None
"""A tolerance or a step: one for every dtype, or one for each dtype that is named."""


def chosen(choice: Choice, dtypes: Iterable[str]) -> float | None:
    """The largest of these dtypes; None if none of them is named."""
    if not isinstance(choice, Mapping):
        return choice
    by_name = {
        getattr(key, "name", None) or getattr(key, "__name__", str(key)): each
        for key, each in choice.items()
    }
    return max((by_name[name] for name in dtypes if name in by_name), default=None)


@dataclass
class Declared:
    """A declaration of one gradient function, by options or by comments above it."""

    surrogate: str = ""
    becomes: dict[str, str] = field(default_factory=dict)
    generators: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    within: float | None = None
    eager_only: bool = False
    dense: bool = False
    once: bool = False
    atol: Choice = None
    rtol: Choice = None
    eps: Choice = None
    right: bool = False
    clauses: list[str] = field(default_factory=list)
    """All of it, word for word."""

    @property
    def intends_another(self) -> bool:
        return bool(self.surrogate or self.becomes)
