"""How many planted mistakes were caught, by their kinds."""

import math
from dataclasses import dataclass, field


@dataclass
class Kind:
    """The drills of one kind."""

    goal: float = 1.0
    """Of those that are planted by a seed, not all need be caught."""
    tried: int = 0
    caught: int = 0
    equal: int = 0
    """Changes that leave all that is said true: no drills."""
    missed: list[str] = field(default_factory=list)

    @property
    def too_many(self) -> bool:
        """Whether more are missed than its goal allows; of a few, one."""
        return len(self.missed) > math.ceil((1 - self.goal) * self.tried)


@dataclass
class Tally:
    """All drills; ``fast`` takes a sample of each kind."""

    fast: bool
    seed: int = 1
    """Of the drills whose places are drawn."""
    kinds: dict[str, Kind] = field(default_factory=dict)

    def kind(self, name: str, goal: float = 1.0) -> Kind:
        return self.kinds.setdefault(name, Kind(goal))

    def count(self, kind: str, drill: str, caught: bool, goal: float = 1.0) -> None:
        self.kind(kind, goal).tried += 1
        self.kind(kind).caught += caught
        if not caught:
            self.kind(kind).missed.append(drill)

    @property
    def failures(self) -> list[str]:
        """What was missed, of the kinds of which too many were."""
        return [
            f"{name}: {drill}"
            for name, kind in self.kinds.items()
            if kind.too_many
            for drill in kind.missed
        ]
