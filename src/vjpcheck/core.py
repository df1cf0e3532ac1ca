"""A pullback beside finite differences of its function, with NumPy alone.

An adapter for a framework gives both as functions of arrays: see ``Comparison``.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arrays import as_text, dot, dtype_name, element, flat, normal, unflat
from .slopes import Slope, pair, scaled_slope

Arrays = list[np.ndarray]
Direction = tuple[str, str, np.ndarray]
"""A name for messages, the one array that moves (or none), and how all numbers move."""
OF_ALL = "a random combination of all inputs"

AT_MOST = 16
"""Of more numbers than this, inputs move along random mixtures of them."""
AT_KINKS = 3
"""Random directions of all inputs at once: a tie shows in none of its numbers."""
LARGE = 1e3
"""At larger inputs steps are too long to tell a kink from a bend."""
AROUND = 24
"""Points that tell what is around a kink."""
UNSETTLED = 1 / 6
"""Of all derivatives, at most, or one."""


class GradientError(AssertionError):
    """A derivative is wrong. The message contains the point, and what is right."""


class Undecided(GradientError):
    """Too little could be compared to say that the derivatives are right."""


class Refused(Exception):
    """Inputs that the function does not accept."""


@dataclass
class Result:
    """How much a check compared."""

    points: int = 0
    """The number of points at which the gradient was compared."""
    shapes: int = 0
    """The number of shapes that were tried, in addition to those of the arguments."""
    dtypes: set[str] = field(default_factory=set)
    """The names of the dtypes in which the gradient was compared."""
    order: int = 0
    """The highest order of the derivatives that were compared. It is smaller than the
    ``order`` that was asked for if there is no derivative of the gradient function."""
    graph: bool = False
    """True if the gradient was also compared inside ``tf.function``."""
    slices: bool = False
    """True if the gradient function also accepted ``tf.IndexedSlices`` as upstream."""
    compared: int = 0
    """The number of directional derivatives and gradients that were compared."""
    kinks: int = 0
    """How many of these were at a kink, where the check accepts a range of values."""
    unsettled: int = 0
    """How many of these stayed undecided, because their finite differences were too
    inaccurate."""
    _found: dict[str, bool] = field(default_factory=dict, repr=False)
    """Whether a derivative by this argument was ever found."""
    _elsewhere: list[int] = field(default_factory=lambda: [0, 0], repr=False)
    """Compared and unsettled, at points that the check chose."""

    def demand_enough(self) -> None:
        """Raise Undecided where too little was compared."""
        if not self.compared:
            raise Undecided("nothing could be compared: the arguments have no numbers")
        if missing := [name for name, is_found in self._found.items() if not is_found]:
            raise Undecided(
                f"no derivative with respect to {', '.join(missing)} was found at any"
                " point"
            )
        compared, unknown = self._elsewhere
        if unknown > max(1, UNSETTLED * compared):
            raise Undecided(
                f"finite differences don't determine {unknown} of {compared}"
                " derivatives: exclude with where=… the points at which they fail"
            )


@dataclass(frozen=True)
class Along:
    """A direction in which the arrays move, and the slopes along it."""

    name: str
    leaf: str
    """The array; none where several move."""
    moved: np.ndarray
    slope: Slope


@dataclass
class Comparison:
    """The slopes of a function at one point, and pullbacks beside them."""

    names: list[str]
    """Of the arrays."""
    values: Callable[[Arrays], Arrays | None]
    """Returns the outputs in the widest dtypes, or None outside of the function's
    domain."""
    point: Arrays
    center: Arrays | None
    """The outputs at the point."""
    result: Result
    rng: np.random.Generator
    rtol: float
    noise: float
    """Relative, of the values that are differentiated."""
    in_double: bool
    """Whether values are computed in float64."""
    atol: float = 0.0
    eps: float | None = None
    """The longest step; by default, it scales with the arrays."""
    rounding: float = 0.0
    """Of the largest element of a gradient in a narrow dtype."""
    slack: float = 0.0
    """By how much of their difference derivatives of two sides may be wrong."""
    pullback: Callable[[Arrays, Arrays], Arrays] | None = None
    """Returns the gradients at another point, given it and the upstream gradients."""
    along: list[Along] = field(default_factory=list, init=False)

    def add(self, directions: Iterable[Direction]) -> None:
        """Find the slopes along these directions."""
        center, at = flat(self.center or [np.array(np.nan)]), flat(self.point)

        def values(row: np.ndarray) -> np.ndarray:
            outputs = self.values(unflat(row, self.point))
            return np.full(1, np.nan) if outputs is None else flat(outputs)

        for name, leaf, row in directions:
            slope = scaled_slope(values, center, at, row, self.in_double, self.eps)
            self.along.append(Along(name, leaf, row, slope))

    def add_all(self, each_number: int) -> None:
        """Move each number, if there are at most so many, or one mixture of each array;
        at a kink, all at once."""
        numbers = flat(self.point)
        # Draw them in any case, so that upstream gradients drawn later stay the same.
        directions = mixtures(self.names, self.point, self.rng)
        if numbers.size <= each_number:
            directions = each_element(self.names, self.point)
        self.add(directions)
        if (
            numbers.size > 1
            and self.in_double
            and abs(numbers).max() < LARGE
            and any(along.slope.kink.any() for along in self.along)
        ):
            rows = self.rng.standard_normal((AT_KINKS, numbers.size))
            self.add((OF_ALL, "", row) for row in (np.ones(numbers.size), *rows))

    def right(self, upstream: Arrays) -> Arrays:
        """Return the right gradients, from slopes along each number. Raises Undecided
        if they aren't known."""
        slopes = [along.slope for along in self.along if along.leaf]
        is_known = all(s.kink.sum() + np.isinf(s.doubt).sum() == 0 for s in slopes)
        if len(slopes) != flat(self.point).size or not is_known:
            raise Undecided("differences don't determine the gradient")
        row = np.array([dot(flat(upstream), s.value) for s in slopes])
        return unflat(row, self.point)

    @property
    def outside(self) -> int:
        """The number of directions that leave the domain on one side."""
        doubts = [along.slope.doubt for along in self.along]
        return sum(bool(each.size and np.isinf(each).all()) for each in doubts)

    def demand(
        self,
        upstream: Arrays,
        place: Callable[[], str],
        gradients: Arrays,
        means: Arrays | None = None,
    ) -> None:
        """Demand that the pullback fits. Raises GradientError.

        Args:
            upstream: the upstream gradients.
            place: returns the point, for the message.
            gradients: what the pullback returned.
            means: what the pullback should use instead of ``upstream``.
        """
        row, weights = flat(gradients), flat(upstream if means is None else means)
        with reworded(lambda m: f"{place()} with upstream = {as_text(upstream)}: {m}"):
            for along in self.along:
                self.demand_along(along, weights, row, along.moved, upstream)

    def demand_along(
        self,
        along: Along,
        weights: np.ndarray,
        row: np.ndarray,
        moved: np.ndarray,
        upstream: Arrays,
        derivative: str = "gradient",
    ) -> None:
        """Demand that ⟨row, moved⟩ is the slope of the values with these weights."""
        largest = abs(row[np.isfinite(row)]).max(initial=0.0)
        pairing = pair(
            weights,
            along.slope,
            row,
            moved,
            self.rtol,
            # Rounding doesn't shrink as inputs grow; in float64, it is small.
            self.noise / (along.slope.size if self.in_double else 1),
            self.atol + self.rounding * largest,
            self.slack,
        )
        if pairing.verdict == "wrong" and not (
            pairing.at_kink and self._is_around(pairing.actual, along, upstream)
        ):
            raise GradientError(
                f"the {derivative} with respect to {along.name} is"
                f" {pairing.actual:.6g}, but {pairing.expected} is right"
            )
        result = self.result
        result.compared += 1
        result.kinks += pairing.at_kink
        result.unsettled += pairing.verdict == "unknown"
        if along.leaf:
            is_found = pairing.verdict == "holds" and bool(along.moved.any())
            result._found[along.leaf] = is_found or result._found.get(along.leaf, False)

    def _is_around(self, actual: float, along: Along, upstream: Arrays) -> bool:
        """Return whether a slope lies between the pullback's results close by. Where
        several kinks meet, as where three numbers to be sorted are equal, the two sides
        of a direction do not show them all."""
        if along.moved.size < 3 or not self.pullback:
            return False
        slopes = []
        for _ in range(AROUND):
            near = [each + 1e-4 * normal(self.rng, each) for each in self.point]
            values = self.values(near)
            if values is not None and np.isfinite(flat(values)).all():
                slopes.append(dot(flat(self.pullback(near, upstream)), along.moved))
        low, high = min(slopes, default=np.nan), max(slopes, default=np.nan)
        slack = (high - low) / 16 + 1e-3 * (abs(high) + abs(low))
        return bool(low - slack <= actual <= high + slack)


def each_element(names: Sequence[str], point: Arrays) -> list[Direction]:
    """Return a direction for each number of the arrays."""
    labels = [
        (element(name, array, n), name)
        for name, array in zip(names, point)
        for n in range(flat([array]).size)
    ]
    return [(*label, row) for label, row in zip(labels, np.eye(len(labels)))]


def mixtures(
    names: Sequence[str], point: Arrays, rng: np.random.Generator
) -> list[Direction]:
    """Return a random direction for each array that has a number."""
    total, start, directions = flat(point).size, 0, []
    for name, array in zip(names, point):
        sizes = np.maximum(abs(flat([array])), 1)
        # Steps of the largest number must leap over no other.
        part = rng.standard_normal(sizes.size) * (sizes / sizes.max(initial=1))
        row = np.zeros(total)
        row[start : start + sizes.size] = part / np.sqrt(sizes.size or 1)
        if sizes.size:
            directions.append((f"a random combination of {name}", name, row))
        start += sizes.size
    return directions


def demand_numbers(values: list) -> None:
    """Raise Undecided for arguments at which nothing can be compared."""
    numbers = flat(values)
    if not numbers.size:
        raise Undecided("no argument has a number that can have a derivative")
    if not np.isfinite(numbers).all():
        raise Undecided("not all arguments are finite")


def demand_form(name: str, gradient: Any, like: Any) -> None:
    """Demand the shape and the dtype of the argument. Raises GradientError."""
    for kind, actual, needed in (
        ("shape", gradient.shape, like.shape),
        ("dtype", dtype_name(gradient), dtype_name(like)),
    ):
        if actual != needed:
            raise GradientError(
                f"the gradient with respect to {name} has {kind} {actual}, but"
                f" {name} has {kind} {needed}"
            )


@contextlib.contextmanager
def reworded(text: Callable[[str], str]) -> Iterator[None]:
    """Change the message of a GradientError."""
    try:
        yield
    except GradientError as error:
        raise type(error)(text(str(error))) from error


def describe(error: BaseException) -> str:
    """Return an error's type and the first line of its message."""
    if isinstance(error, Refused):
        return str(error)
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}"[:200]
