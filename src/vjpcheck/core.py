"""A pullback beside finite differences of its function, with NumPy alone.

An adapter for a framework gives both as functions of arrays: see ``Differentiable``.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arrays import as_text, dot, dtype_name, element, flat, normal, unflat
from .slopes import Pairing, Slope, pair, scaled_slope

Arrays = list[np.ndarray]

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


@dataclass
class Differentiable:
    """A function and its pullback, both as functions of arrays in the widest dtypes."""

    names: list[str]
    """Of the arrays."""
    values: Callable[[Arrays], Arrays | None]
    """The outputs, or None outside of the function's domain."""
    pullback: Callable[[Arrays, Arrays], Arrays] | None
    """The gradients, given the arrays and the upstream gradients; None if they are
    passed to each comparison."""
    rtol: float
    noise: float
    """Relative, of the values that are differentiated."""
    in_double: bool = True
    """Whether values are computed in float64."""
    atol: float = 0.0
    eps: float | None = None
    """The longest step; by default, it scales with the arrays."""
    rounding: float = 0.0
    """Of the largest element of a gradient in a narrow dtype."""
    slack: float = 0.0
    """By how much of their difference derivatives of two sides may be wrong."""


@dataclass(frozen=True)
class Along:
    """A direction in which the arrays move, and the slopes along it."""

    name: str
    leaf: str
    """The array; none where several move."""
    moved: np.ndarray
    slope: Slope


class Comparison:
    """A problem at one point: the slopes of the function, and pullbacks beside them."""

    def __init__(
        self,
        problem: Differentiable,
        point: Arrays,
        center: Arrays | None,
        result: Result,
        rng: np.random.Generator,
    ) -> None:
        self._problem, self._point, self.result, self._rng = problem, point, result, rng
        self._center = flat(center or [np.array(np.nan)])
        self.along: list[Along] = []

    def add(self, rows: Iterable[tuple[str, str, np.ndarray]]) -> None:
        """Find the slopes along these directions: each with a name, and an array's."""
        at, point = flat(self._point), self._point

        def values(row: np.ndarray) -> np.ndarray:
            outputs = self._problem.values(unflat(row, point))
            return np.full(1, np.nan) if outputs is None else flat(outputs)

        problem = self._problem
        for name, leaf, row in rows:
            slope = scaled_slope(
                values, self._center, at, row, problem.in_double, problem.eps
            )
            self.along.append(Along(name, leaf, row, slope))

    def right(self, upstream: Arrays) -> Arrays:
        """Return the right gradients, from slopes along each number. Raises Undecided
        if they aren't known."""
        slopes = [along.slope for along in self.along if along.leaf]
        is_known = all(s.kink.sum() + np.isinf(s.doubt).sum() == 0 for s in slopes)
        if len(slopes) != flat(self._point).size or not is_known:
            raise Undecided("differences don't determine the gradient")
        row = np.array([dot(flat(upstream), s.value) for s in slopes])
        return unflat(row, self._point)

    def add_all(self, each_number: int) -> None:
        """Move each number, if there are at most so many, or one mixture of each array;
        at a kink, all at once."""
        self.add(rows(self._problem.names, self._point, self._rng, each_number))
        numbers = flat(self._point)
        if (
            numbers.size > 1
            and self._problem.in_double
            and abs(numbers).max() < LARGE
            and any(along.slope.kink.any() for along in self.along)
        ):
            mixtures = self._rng.standard_normal((AT_KINKS, numbers.size))
            self.add(
                ("a random combination of all inputs", "", row)
                for row in (np.ones(numbers.size), *mixtures)
            )

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
        with preceded_by(lambda: f"{place()} with upstream = {as_text(upstream)}: "):
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
        problem = self._problem
        largest = abs(row[np.isfinite(row)]).max(initial=0.0)
        pairing = pair(
            weights,
            along.slope,
            row,
            moved,
            problem.rtol,
            # Rounding doesn't shrink as inputs grow; in float64, it is small.
            problem.noise / (along.slope.size if problem.in_double else 1),
            problem.atol + problem.rounding * largest,
            problem.slack,
        )
        if pairing.verdict == "wrong" and not (
            pairing.at_kink and self._is_around(pairing.actual, along, upstream)
        ):
            raise GradientError(
                f"the {derivative} with respect to {along.name} is"
                f" {pairing.actual:.6g}, but {pairing.expected} is right"
            )
        self._note(along, pairing)

    def _note(self, along: Along, pairing: Pairing) -> None:
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
        pullback = self._problem.pullback
        if along.moved.size < 3 or not pullback:
            return False
        slopes = []
        for _ in range(AROUND):
            near = [each + 1e-4 * normal(self._rng, each) for each in self._point]
            values = self._problem.values(near)
            if values is not None and np.isfinite(flat(values)).all():
                row = flat(pullback(near, upstream))
                slopes.append(dot(row, along.moved))
        low, high = min(slopes, default=np.nan), max(slopes, default=np.nan)
        slack = (high - low) / 16 + 1e-3 * (abs(high) + abs(low))
        return bool(low - slack <= actual <= high + slack)


def rows(
    names: Sequence[str], point: Arrays, rng: np.random.Generator, most: int
) -> list[tuple[str, str, np.ndarray]]:
    """Return directions: of each number, or of one random mixture of each array."""
    total, start, directions = flat(point).size, 0, []
    each_number = total <= most
    for name, array in zip(names, point):
        numbers = flat([array])
        # Steps of the largest number must leap over no other.
        shares = np.maximum(abs(numbers), 1) / np.maximum(abs(numbers), 1).max(
            initial=1
        )
        mixture = rng.standard_normal((min(numbers.size, 1), numbers.size)) * shares
        mixtures = (
            np.eye(numbers.size)
            if each_number
            else mixture / np.sqrt(numbers.size or 1)
        )
        for n, part in enumerate(mixtures):
            row = np.zeros(total)
            row[start : start + numbers.size] = part
            label = element(name, array, n)
            label = label if each_number else f"a random combination of {name}"
            directions.append((label, name, row))
        start += numbers.size
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
def preceded_by(place: Callable[[], str]) -> Iterator[None]:
    """Let the message of a GradientError begin with a text, made when needed."""
    try:
        yield
    except GradientError as error:
        raise type(error)(f"{place()}{error}") from error


def describe(error: BaseException) -> str:
    """Return an error's type and the first line of its message."""
    if isinstance(error, Refused):
        return str(error)
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}"[:200]
