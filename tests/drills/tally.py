"""How many planted mistakes were caught, by their kinds."""

import math
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from ..project import ROOT


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


def changed_files() -> tuple[str, ...]:
    """What the last commit and the working tree changed, below the root."""
    commands = (
        ["diff", "--name-only", "HEAD~1"],
        ["ls-files", "--others", "--exclude-standard"],
    )
    said = "".join(
        subprocess.run(
            ["git", *command], cwd=ROOT, text=True, capture_output=True
        ).stdout
        for command in commands
    )
    return tuple(f"/{name}" for name in said.splitlines())


def _is_of(thing: object, files: tuple[str, ...]) -> bool:
    """Whether one of these files is what a drill changes."""
    if isinstance(thing, list | tuple):
        return any(_is_of(each, files) for each in thing)
    path = getattr(thing, "path", thing)
    return isinstance(path, Path) and path.as_posix().endswith(files)


def _even(things: list, at_most: int) -> list[int]:
    """The places of a quarter of so many, from first to last."""
    few = max(1, at_most // 4)
    return [i * len(things) // few for i in range(few)]


@dataclass
class Tally:
    """All drills; ``fast`` takes an even sample of each kind."""

    fast: bool
    seed: int = 1
    """Of the drills whose places are drawn."""
    kinds: dict[str, Kind] = field(default_factory=dict)
    changed: tuple[str, ...] = field(default_factory=changed_files)

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

    def some(self, things: list, at_most: int) -> list:
        """All; or an even sample, and as many of what changed since the last commit."""
        if not self.fast or len(things) <= at_most:
            return things
        new = [i for i, each in enumerate(things) if _is_of(each, self.changed)]
        return [things[i] for i in sorted({*_even(things, at_most), *new[:at_most]})]
