"""Verification of claims about expressions, by SymPy or at many points.

Sides that are equal as functions agree at every point; sides that are not differ
at almost every one, unless they have branches. So points lie at all magnitudes and
around every constant in the formula and in its conditions, and each branch is met.
The points are the same in each run.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from operator import ge, gt, le, lt, ne
from typing import Any

import mpmath
import sympy

from .errors import Refuted, WrongNumber

_ATTEMPTS, _MOST, _LEAST = 600, 24, 3
"""Points that are generated at most, and that are compared at most and at least."""
_FAR = (1e-6, 1e-3, 0.03, 8, 30, 200, 1e3)
_NEAR = (1e-6, 0.01, 0.1, 0.4)
"""Distances from a constant, absolute and relative."""
_DIGITS, _ALL_DIGITS = 50, 4000
"""Digits of a computation, and of its repetition if sides differ far from 1."""
_EQUAL = mpmath.mpf(10) ** -30
_ABOUT = 0.05
"""The relative difference up to which two sides without digits are ≈."""
_FLOAT32_DIGITS, _FLOAT32 = 9, 2.0**-23
"""A number with so many digits is float32's, and may be off by its rounding."""
_LARGEST = 3000
"""The largest argument for which steep functions keep some digits in sums."""
_STEEP = ("exp", "sinh", "cosh", "tanh", "coth", "erf")
_FEW = 12
"""The number of constants up to which branches are sought at their sums, too."""
_BRANCHES = (sympy.Piecewise, sympy.Abs, sympy.sign, sympy.floor, sympy.ceiling)
ORDERS = {"<": sympy.Lt, ">": sympy.Gt, "≤": sympy.Le, "≥": sympy.Ge, "≠": sympy.Ne}
_COMPARISONS = {"<": lt, ">": gt, "≤": le, "≥": ge, "≠": ne}

Point = list[mpmath.mpf]
Pairs = tuple[tuple[sympy.Expr, sympy.Expr], ...]
Conditions = tuple[sympy.Basic, ...]


@lru_cache(maxsize=100_000)
def verify(
    relation: str, pairs: Pairs, conditions: Conditions = (), rounding: float = 0
) -> int:
    """Verify that sides are related as claimed.

    Args:
        relation: one of ``= ≈ < > ≤ ≥ ≠``.
        pairs: left and right sides.
        conditions: restrict the points; those on other symbols have no effect.
        rounding: how far two numbers may be apart.

    Returns:
        0 for a proof; otherwise, the number of points at which the claim was tried.

    Raises:
        Refuted: the claim is false, or too few points were found to tell.
    """
    sides = tuple(side for pair in pairs for side in pair)
    if any(s.has(sympy.zoo, sympy.nan) and not s.has(sympy.Piecewise) for s in sides):
        raise Refuted("a side is not defined")
    pairs = tuple(pair for pair in pairs if relation != "=" or pair[0] != pair[1])
    if not pairs:
        return 0
    symbols = _symbols(side for pair in pairs for side in pair)
    if relation == "≠" and symbols:  # at almost every point any two sides differ
        raise Refuted("that they differ everywhere is not shown")
    points = _points(symbols, sides, conditions, relation in ORDERS)
    evaluate = _function(symbols, [list(pair) for pair in pairs])
    is_real = not any(side.has(sympy.I) for side in sides)
    comparison = _Comparison(relation, rounding, is_real)
    counts, total = [0] * len(pairs), 0
    for point in points:
        total += 1
        faults = comparison.faults(evaluate, point)
        if fault := next(filter(None, faults), None):
            raise _refutation(fault, symbols, point)
        for number, fault in enumerate(faults):
            counts[number] += fault is not None
    if total < _LEAST and symbols:
        raise Refuted(f"fewer than {_LEAST} points meet the conditions")
    if min(counts) < (_LEAST if symbols else 1):
        raise Refuted("hardly a point at which both sides are defined")
    return min(counts) if symbols and relation != "=" else 0


def _refutation(fault: str, symbols: list[sympy.Symbol], point: Point) -> Refuted:
    if not symbols:
        return WrongNumber(fault)
    coordinates = (
        f"{symbol.name.replace(chr(92), '')} = {mpmath.nstr(coordinate, 3)}"
        for symbol, coordinate in zip(symbols, point)
    )
    return Refuted(f"{fault} at {', '.join(coordinates)}")


@dataclass(frozen=True)
class _Comparison:
    relation: str
    rounding: float
    is_real: bool

    def faults(self, evaluate: Callable, point: Point) -> list[str | None]:
        """Return the fault of each pair at a point; nothing if a pair has no value.

        A fault is an empty string for a pair that is related as claimed, and None for
        one that is not defined.
        """
        is_near = all(1 / 8 < abs(coordinate) < 4 for coordinate in point)
        for digits in (_DIGITS,) if is_near else (_DIGITS, _ALL_DIGITS):
            with mpmath.workdps(digits):
                try:
                    faults = [self._fault(*pair) for pair in evaluate(*point)]
                except (ArithmeticError, ValueError, TypeError):
                    faults = []  # no value, or a complex one that has no order
            if not any(faults):
                break
        return faults

    def _fault(self, left: mpmath.mpf, right: mpmath.mpf) -> str | None:
        # A root or a logarithm of a negative number has no real value.
        is_defined = [
            mpmath.isfinite(side) and not (self.is_real and mpmath.im(side))
            for side in (left, right)
        ]
        if any(is_defined) != all(is_defined):
            return "only one of the sides is defined everywhere"
        if not all(is_defined):
            return None
        if self._holds(left, right):
            return ""
        return f"does not hold: {mpmath.nstr(left, 9)} and {mpmath.nstr(right, 9)}"

    def _holds(self, left: mpmath.mpf, right: mpmath.mpf) -> bool:
        if self.relation in ORDERS:
            return _COMPARISONS[self.relation](left, right)
        size = max(abs(left), abs(right), mpmath.mpf(1) / 10**6)
        rounding = self.rounding
        if rounding:
            if rounding < size * mpmath.mpf(10) ** -(_FLOAT32_DIGITS - 1):
                rounding = max(rounding, _FLOAT32 * size)
            return abs(left - right) <= rounding
        tolerance = _ABOUT if self.relation == "≈" else _EQUAL
        return abs(left - right) <= size * tolerance


def require_points(condition: sympy.Basic) -> None:
    """Raise Refuted if hardly a point meets a condition."""
    points = islice(_points(_symbols([condition]), (condition,), (condition,)), _LEAST)
    if condition != sympy.true and len(list(points)) < _LEAST:
        raise Refuted(f"fewer than {_LEAST} points meet it")


def _symbols(sides: Iterable[sympy.Basic]) -> list[sympy.Symbol]:
    symbols = {symbol for side in sides for symbol in side.free_symbols}
    return sorted(symbols, key=lambda symbol: symbol.name)


def _function(symbols: list[sympy.Symbol], expression: Any) -> Callable:
    """Return a function of mpmath numbers for an expression, or for lists of them."""

    def bounded(name: str) -> Callable:
        def function(x: mpmath.mpf) -> mpmath.mpf:
            if abs(x) > _LARGEST:
                raise OverflowError
            return getattr(mpmath, name)(x)

        return function

    # SymPy takes long to replace names that Python does not allow.
    arguments = {s: sympy.Symbol(f"arg{n}", real=True) for n, s in enumerate(symbols)}

    def renamed(part: Any) -> Any:
        if isinstance(part, list):
            return list(map(renamed, part))
        # Points have a finite number of digits, so equality needs a tolerance.
        equalities = {
            eq: (abs(eq.lhs - eq.rhs) < _EQUAL) ^ isinstance(eq, sympy.Ne)
            for eq in part.atoms(sympy.Eq, sympy.Ne)
        }
        return part.xreplace(equalities).xreplace(arguments)

    modules = [{name: bounded(name) for name in _STEEP}, "mpmath"]
    body = renamed(expression)
    return sympy.lambdify(list(arguments.values()), body, modules, cse=True)


def _points(
    symbols: list[sympy.Symbol],
    sides: tuple[sympy.Basic, ...],
    conditions: Conditions,
    is_order: bool = False,
) -> Iterator[Point]:
    """Return generic points first, and then points with coordinates at special places.

    All special places are visited if the sides have branches, or if an order, which may
    fail at any of them, is claimed.
    """
    if not symbols:
        yield []
        return
    conditions = tuple(
        c for c in conditions if c.free_symbols and c.free_symbols <= set(symbols)
    )
    generator = random.Random(1)
    places = _places((*sides, *conditions))
    generator.shuffle(places)
    equalities = [
        (symbols.index(eq.lhs), _function(symbols, eq.rhs))
        for side in sides
        for eq in side.atoms(sympy.Eq, sympy.Ne)
        if eq.lhs in symbols and eq.lhs not in eq.rhs.free_symbols
    ]
    visits_all = is_order or any(side.has(*_BRANCHES) for side in sides)
    remaining = _MOST + (2 * len(places) if visits_all else 0)
    predicates = [_function(symbols, condition) for condition in conditions]
    for attempt in range(_ATTEMPTS):
        point = [_generic(generator) for _ in symbols]
        if attempt < len(equalities):
            number, place = equalities[attempt]
            with mpmath.workdps(_DIGITS):
                point[number] = place(*point)
        elif attempt % 4 > 1:
            point[attempt % len(symbols)] = places[attempt // 2 % len(places)]
        elif attempt % 4:
            point = [generator.choice([x, generator.choice(places)]) for x in point]
        if all(predicate(*point) for predicate in predicates):
            yield point
            remaining -= 1
        if not remaining:
            return


def _places(expressions: tuple[sympy.Basic, ...]) -> Point:
    """Return numbers around all constants, between them, and at all magnitudes."""
    constants = {mpmath.mpf(0)} | {
        sign * mpmath.mpf(constant.p) / constant.q
        for expression in expressions
        for constant in expression.atoms(sympy.Rational)
        for sign in (1, -1)
    }
    if len(constants) <= _FEW:
        constants |= {a + b for a in constants for b in constants}
    # Not in the very middle, where a branch may begin.
    between = [a + (b - a) * 0.47 for a, b in pairwise(sorted(constants))]
    far = [sign * mpmath.mpf(size) for size in _FAR for sign in (1, -1)]
    near = [
        c + distance * max(1, abs(c)) * sign
        for c in constants
        for distance in _NEAR
        for sign in (1, -1)
    ]
    return [*between, *far, *near]


def _generic(generator: random.Random) -> mpmath.mpf:
    # Never an integer, at which a branch may begin.
    return mpmath.mpf(generator.choice([-1, 1]) * generator.randint(200, 3000)) / 977.5
