"""Slopes of a function along a direction, from its values alone.

Ridders' method (Advances in Engineering Software 4(2), 1982): central differences with
steps that shrink by four, extrapolated to step zero, with a doubt about each number. No
library is used, for none here says when it does not know: ``tf.test.compute_gradient``
has one step and no doubt, and takes the mean of both sides at a kink without a word.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .arrays import dot

SHRINK = 4
TINY = 1e-2
"""Inputs below move by steps of their own size first."""
SMALL = 20_000
"""Doubts below so many ulp are those of numbers that are lost beside 1."""
HUGE = 1e5
"""Inputs below are moved by steps of about 1 first: what repeats, as the rounding of
numbers, would escape longer ones."""
SPREAD = 8
"""Standard deviations that a sum of random terms stays below."""
LONGER = 16
"""Times the usual steps: for values so small that rounding hides shorter ones."""


@dataclass(frozen=True)
class Steps:
    """The steps by which one precision is differentiated."""

    first: float
    levels: int
    noise: float
    """Of a value, relative; steps divide by h what it does to a difference."""
    enough: float
    """A doubt, relative, below which no smaller step is tried."""
    ulp: float
    """Of numbers about 1, which may be added to what is smaller on the way; so
    this much doubt, divided by h, remains even if two estimates agree."""


DOUBLE = Steps(2.0**-5, 9, 1e-14, 1e-8, 2e-16)
SINGLE = Steps(2.0**-2, 4, 1e-6, 1e-5, 1e-7)


@dataclass(frozen=True)
class Slope:
    """The derivative of each number that the function returns."""

    center: np.ndarray
    value: np.ndarray
    doubt: np.ndarray
    """Infinite where no slope was found."""
    left: np.ndarray
    right: np.ndarray
    kink: np.ndarray
    """Whether the slopes of the two sides stay apart as the step shrinks."""
    scale: np.ndarray
    """The largest quotient of differences: beside it a slope may be zero."""
    size: float = 1.0
    """Of the inputs: by how much they move until the values are others."""
    ulp: float = 2e-16
    """As in ``Steps``."""

    @property
    def is_final(self) -> bool:
        """Return whether longer or shorter steps have nothing to add."""
        size = max(1.0, self.size)
        enough = 1e-4 * abs(self.value) + 1e-7 * abs(self.center) / size
        # A slope of zero need be known no better than those beside it.
        most = 1e-5 * abs(self.value).max(initial=0)
        zero = ((self.value == 0) & (self.doubt <= (most or 1))) | self.flat
        return bool(self.kink.any() or ((self.doubt <= enough) | zero).all())

    @property
    def flat(self) -> np.ndarray:
        """Return where no difference was found at all."""
        return (self.scale == 0) & np.isfinite(self.doubt)


def slope(
    function: Callable[[np.ndarray], np.ndarray],
    center: np.ndarray,
    point: np.ndarray,
    direction: np.ndarray,
    steps: Steps,
    size: float = 1.0,
) -> Slope:
    """Along one direction, with steps for inputs of this size; ``center`` is the
    value there."""
    value, doubt = np.full(center.shape, np.nan), np.full(center.shape, np.inf)
    left = right = value
    scale = np.zeros(center.shape)
    kink = np.zeros(center.shape, bool)
    above: list[np.ndarray] = []
    bend_above = None
    finite = np.isfinite(center)
    for level in range(steps.levels):
        h = size * steps.first / SHRINK**level
        up, down = function(point + h * direction), function(point - h * direction)
        if not all(_is_finite(values, center) for values in (up, down)):
            above, bend_above = [], None
            continue
        right, left = (up - center) / h, (center - down) / h
        mean = (left + right) / 2
        scale = np.maximum(scale, np.where(finite, abs(mean), 0))
        least = steps.ulp * (1 + abs(center)) / h
        row, value, doubt = _extrapolate(mean, above, least, value, doubt)
        bend = abs(right - left)
        if bend_above is not None:
            floor = steps.noise * abs(center) / h + 1e-4 * (abs(left) + abs(right))
            # Of a smooth function it shrinks with the step; of noise it grows.
            steady = (bend > 0.5 * bend_above) & (bend < 2 * bend_above)
            previous, kink = kink, steady & (bend > floor)
            if (lost := previous & ~kink).any():  # it lay beside: nothing above holds
                doubt, above, row = np.where(lost, np.inf, doubt), [], row[:1]
            enough = steps.enough * (abs(value) + abs(center) / size)
            if not kink.any() and (doubt <= np.maximum(enough, SHRINK * least)).all():
                break
        above, bend_above = row, bend
    return Slope(center, value, doubt, left, right, kink, scale, size, steps.ulp)


def _is_finite(values: np.ndarray, center: np.ndarray) -> bool:
    """Return whether values are finite where those at the center are."""
    if values.shape != center.shape:
        return False
    return bool(np.isfinite(values[np.isfinite(center)]).all())


def _extrapolate(
    mean: np.ndarray,
    above: list[np.ndarray],
    least: np.ndarray,
    value: np.ndarray,
    doubt: np.ndarray,
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Return the next row of Ridders' table, and the values with the least doubts."""
    row = [mean]
    for order, old in enumerate(above, 1):
        row.append(row[-1] + (row[-1] - old) / (SHRINK ** (2 * order) - 1))
        new = np.maximum.reduce([abs(row[-1] - row[-2]), abs(row[-1] - old), least])
        better = new < doubt
        value = np.where(better, row[-1], value)
        doubt = np.where(better, new, doubt)
    return row, value, doubt


def scaled_slope(
    function: Callable[[np.ndarray], np.ndarray],
    center: np.ndarray,
    point: np.ndarray,
    direction: np.ndarray,
    in_double: bool,
    eps: float | None = None,
) -> Slope:
    """Differentiate with steps of about 1, or of the size of the inputs, if they are
    tiny or huge; where these settle nothing, with others. ``eps`` is the longest."""
    steps = DOUBLE if in_double else SINGLE
    if eps is not None:
        return slope(function, center, point, direction, replace(steps, first=eps))
    size = float(abs(point[direction != 0]).max(initial=0))
    usual = max(1.0, size)
    sizes = [usual, LONGER * usual] if in_double else [usual]
    if in_double and 0 < size < 1:
        sizes.insert(size >= TINY, size)
    if in_double and 1 < size < HUGE:
        sizes.insert(0, 1.0)
    for step_size in sizes:
        result = slope(function, center, point, direction, steps, step_size)
        if result.is_final:
            break
    return result


@dataclass(frozen=True)
class Pairing:
    """⟨upstream, dy⟩ from differences beside ⟨downstream, dx⟩ from the pullback."""

    verdict: str
    """``holds``, ``kink`` (it is between both sides), ``small`` (both are below what
    can be told), ``unknown`` (the differences do not settle), or ``wrong``."""
    expected: str
    actual: float
    at_kink: bool = False


@np.errstate(all="ignore")  # gradients may be infinite
def pair(
    upstream: np.ndarray,
    slope: Slope,
    downstream: np.ndarray,
    moved: np.ndarray,
    rel: float,
    noise: float,
    atol: float = 0.0,
    at_kinks: float = 0.0,
) -> Pairing:
    """Compare along one direction; ``moved`` is what it does to the inputs. At a kink,
    ``at_kinks`` of the difference of both sides is allowed outside of them."""
    downstream = np.where(moved, downstream, 0)  # elsewhere, it may be infinite
    actual = dot(downstream, moved)
    ground = noise * bound(upstream * slope.center) + atol
    used = upstream != 0
    upstream, doubts, is_kink = upstream[used], slope.doubt[used], slope.kink[used]
    size = bound(downstream * moved)
    if is_kink.any():
        # Where there is a slope of both sides, it is known better than those of one.
        one_sided = is_kink | ~np.isfinite(doubts)
        ends = np.stack([slope.left[used], slope.right[used]])
        sides = upstream * np.where(one_sided, ends, slope.value[used])
        low, high = sides.min(axis=0).sum(), sides.max(axis=0).sum()
        slack = 1e-3 * (bound(sides[0]) + bound(sides[1]) + size) + ground
        slack += at_kinks * (high - low) if high > low else 0.0
        verdict = "kink" if low - slack <= actual <= high + slack else "wrong"
        text = f"something from {low:.6g} to {high:.6g}"
        return Pairing(verdict, text, actual, at_kink=True)
    if not np.isfinite(doubts).all():
        return Pairing("unknown", "nothing", actual)
    terms = upstream * slope.value[used]
    expected, parts = terms.sum(), bound(terms)
    doubt = 10 * bound(upstream * doubts)
    near = abs(actual - expected) <= rel * (parts + size) + doubt + ground
    verdict = "holds" if near else "wrong"
    enough = max(1e-3, 100 * rel) * parts + 1e3 * ground
    enough += 1e-6 * bound(upstream * slope.scale[used])
    if doubt > enough and not slope.flat[used].all():
        lost = SMALL * slope.ulp * abs(upstream).sum()
        verdict = "small" if near and doubt < lost else "unknown"
    return Pairing(verdict, f"{expected:.6g}", actual)


def bound(terms: np.ndarray) -> float:
    """Return how large a sum of such terms may be if their signs are random. The sum
    of their sizes grows faster: with it, a million numbers would hide a wrong one."""
    sizes = abs(terms)
    return float(min(sizes.sum(), SPREAD * np.sqrt((sizes * sizes).sum())))
