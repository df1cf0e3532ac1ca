"""What is declared of a gradient function beyond its code."""

from dataclasses import dataclass, field

WIDEST = 0.01
"""Tolerance, relative, that still proves something."""


@dataclass
class Declared:
    """What options, or the comments above it, declare of one gradient function."""

    surrogate: str = ""
    becomes: dict[str, str] = field(default_factory=dict)
    generators: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    within: float | None = None
    eager_only: bool = False
    dense: bool = False
    once: bool = False
    right: bool = False
    clauses: list[str] = field(default_factory=list)
    """All of it, word for word."""

    @property
    def intends_another(self) -> bool:
        return bool(self.surrogate or self.becomes)
