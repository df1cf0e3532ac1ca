"""Directions in which the inputs of a rule move, and the slopes along them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .declared import Declared, chosen
from .function import Function, Misdeclared, Point, Refused, flat, unflat
from .points import Domain
from .slopes import DOUBLE, Slope, scaled_slope, slope, zero_slope

AT_MOST = 16
"""Of more numbers than this, inputs move along random mixtures of them."""
AT_KINKS = 3
"""Random directions of all inputs at once: a tie shows in none of its numbers."""
LARGE = 1e3
"""At larger inputs steps are too long to tell a kink from a bend."""


class Wrong(AssertionError):
    """A rule that does not hold, and where that shows."""


class Undecided(Wrong):
    """A rule of which too little could be compared."""


@dataclass(frozen=True)
class Along:
    """A direction, and the slopes found along it."""

    name: str
    leaf: str
    """The input; none where several move."""
    moved: np.ndarray
    """What it does to the inputs."""
    reference: Slope
    """Of the function that the rule is meant to be the gradient of."""
    forward: Slope
    """Of the forward pass."""


@dataclass
class Directions:
    """All directions from one point."""

    function: Function
    reference: Function
    """What the rule is meant to be the gradient of."""
    declared: Declared
    domain: Domain
    rng: np.random.Generator
    drawn: Point
    each_number: bool
    """Whether to move numbers one at a time, instead of mixtures of each input."""

    def slopes(self) -> list[Along]:
        directions = [self._along(*row) for row in self._rows()]
        if (
            len(directions) > 1
            and "downstream" not in self.declared.becomes
            and abs(flat(self._moving)).max() < LARGE
            and any(along.reference.kink.any() for along in directions)
        ):
            directions += [
                self._along("a random combination of all inputs", "", row)
                for row in self._mixtures_of_all()
            ]
        return directions

    def _along(self, name: str, leaf: str, row: np.ndarray) -> Along:
        point = self._at
        right = self._slope(self.reference, self._meant, row)
        forward = (
            right
            if self.reference is self.function
            else self._slope(self.function, self._own, row)
        )
        if right.center.shape != forward.center.shape:
            raise Wrong(
                f"{self.declared.surrogate} has {right.center.size}"
                f" numbers, the forward pass {forward.center.size}, at"
                f" inputs of the shapes"
                f" {[list(each.shape) for each in self._moving]}"
            )
        if leaf in self.declared.fixed:
            right = zero_slope(right)
        moved = (
            slope(self._inputs, self._inputs(point), point, row, DOUBLE).value
            if self.domain.made
            else row
        )
        return Along(name, leaf, moved, right, forward)

    @cached_property
    def _at(self) -> np.ndarray:
        return flat(self._moving)

    @cached_property
    def _meant(self) -> np.ndarray:
        return self._values_of(self.reference)(self._at)

    @cached_property
    def _own(self) -> np.ndarray:
        return self._values_of(self.function)(self._at)

    def _mixtures_of_all(self) -> list[np.ndarray]:
        moves = np.concatenate(
            [
                np.full(
                    flat([array]).size,
                    self.function.leaves[i].name not in self.declared.fixed,
                )
                for i, array in zip(self.function.moving, self._moving)
            ]
        )
        random = self.rng.standard_normal((AT_KINKS, moves.size))
        return [row * moves for row in (np.ones(moves.size), *random)]

    @cached_property
    def _moving(self) -> list[np.ndarray]:
        return [self.drawn[i] for i in self.function.moving]

    def _slope(self, function: Function, center: np.ndarray, row: np.ndarray) -> Slope:
        values = self._values_of(function)
        eps = chosen(self.declared.eps, function.dtypes(function.in_double))
        return scaled_slope(values, center, self._at, row, function.in_double, eps)

    def _values_of(self, function: Function) -> Callable[[np.ndarray], np.ndarray]:
        def values(row: np.ndarray) -> np.ndarray:
            tensors = function.tensors(self._moved_to(row), function.in_double)
            try:
                return flat(function.outputs(tensors))
            except (Refused, Misdeclared):  # the domain ends here
                return np.full(1, np.nan)

        return values

    def _inputs(self, row: np.ndarray) -> np.ndarray:
        point = self._moved_to(row)
        return flat([point[i] for i in self.function.moving])

    def _moved_to(self, row: np.ndarray) -> Point:
        point = list(self.drawn)
        for i, array in zip(self.function.moving, unflat(row, self._moving)):
            point[i] = array
        return self.domain.point(point)

    def _rows(self) -> list[tuple[str, str, np.ndarray]]:
        """Each number of each input, or a random mixture of them."""
        rows, total, start = [], flat(self._moving).size, 0
        each_number = "downstream" in self.declared.becomes or (
            self.each_number and total <= AT_MOST
        )
        for i, array in zip(self.function.moving, self._moving):
            size, name = flat([array]).size, self.function.leaves[i].name
            mixtures = (
                np.eye(size)
                if each_number
                else self.rng.standard_normal((min(size, 1), size))
                * _shares(flat([array]))
                / np.sqrt(size or 1)
            )
            for n, mixture in enumerate(mixtures):
                row = np.zeros(total)
                row[start : start + size] = mixture
                rows.append(
                    (
                        number_of(name, array, n)
                        if each_number
                        else f"a random combination of {name}",
                        name,
                        row,
                    )
                )
            start += size
        return rows


def _shares(numbers: np.ndarray) -> np.ndarray:
    """Return how far each moves, so that steps of the largest leap over no other."""
    sizes = np.maximum(abs(numbers), 1)
    return sizes / sizes.max(initial=1)


def number_of(name: str, array: np.ndarray, n: int) -> str:
    if not array.ndim:
        return name
    part = ""
    if np.iscomplexobj(array):
        n, odd = divmod(n, 2)
        part = ("real part of ", "imaginary part of ")[odd]
    index = ", ".join(map(str, np.unravel_index(n, array.shape)))
    return f"{part}{name}[{index}]"
