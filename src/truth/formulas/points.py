"""Whether two expressions are related as claimed, at random points.

Sides that are equal as functions agree at every point; sides that are not differ
at almost every one. Points are the same in each run.
"""

import random
from functools import lru_cache

import mpmath
import sympy

_POINTS = 6
"""Points to compare at; with branches as many again for each symbol."""
_ATTEMPTS = 400
"""Points that are looked at to find some that fulfill the conditions."""
_DIGITS = 30
_ABOUT = 0.05
"""How far apart, relatively, two sides of ≈ may be."""
_FLOAT32_DIGITS, _FLOAT32 = 9, 2.0**-23
"""A number with so many digits is float32's, and may be off by its rounding."""
_BRANCHES = (sympy.Piecewise, sympy.Abs, sympy.sign, sympy.floor)


class Refuted(Exception):
    """A claim that does not hold."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.position = position


@lru_cache(maxsize=100_000)
def hold(
    relation: str,
    a: sympy.Expr,
    b: sympy.Expr,
    conditions: tuple[sympy.Basic, ...],
    position: int,
    rounding: float,
) -> None:
    """Raises Refuted where ``a`` and ``b`` are not related as claimed.

    ``conditions`` restrict the points; those on other symbols do not count.
    ``rounding`` is how far two numbers may be apart.
    """
    if relation == "=" and a == b:
        return
    symbols = sorted(a.free_symbols | b.free_symbols, key=lambda s: s.name)
    fulfilled = [
        sympy.lambdify(symbols, c, "mpmath")
        for c in conditions
        if c.free_symbols and c.free_symbols <= set(symbols)
    ]
    evaluate = sympy.lambdify(symbols, [a, b], "mpmath")
    generator = random.Random(1)
    compared, enough = 0, _POINTS
    if a.has(*_BRANCHES) or b.has(*_BRANCHES):
        enough *= 1 + len(symbols)
    special = [
        (eq.lhs, eq.rhs)
        for eq in (a.atoms(sympy.Eq) | b.atoms(sympy.Eq))
        if eq.lhs in symbols and eq.rhs.is_number
    ]
    with mpmath.workdps(_DIGITS + 20):
        for attempt in range(_ATTEMPTS):
            point = [_coordinate(generator) for _ in symbols]
            if attempt < len(special):
                symbol, value = special[attempt]
                point[symbols.index(symbol)] = mpmath.mpf(str(value))
            try:
                if not all(c(*point) for c in fulfilled):
                    continue
                left, right = evaluate(*point)
            except (ZeroDivisionError, ValueError, TypeError):
                continue  # not defined here, or complex where an order is asked
            defined = [mpmath.isfinite(side) for side in (left, right)]
            if any(defined) != all(defined):
                raise Refuted("only one of the sides is defined everywhere", position)
            if not all(defined):
                continue
            compared += 1
            if not _related(relation, left, right, rounding):
                at = ", ".join(
                    f"{_readable(s)} = {mpmath.nstr(p, 3)}"
                    for s, p in zip(symbols, point)
                )
                raise Refuted(
                    f"does not hold: {mpmath.nstr(left, 9)} and"
                    f" {mpmath.nstr(right, 9)}" + (f" at {at}" if at else ""),
                    position,
                )
            # An inequality may fail in a corner: all points are looked at.
            if not symbols or (relation not in "<>≤≥" and compared == enough):
                return
    if not compared:
        raise Refuted("no point at which both sides are defined", position)


def _coordinate(generator: random.Random) -> mpmath.mpf:
    return mpmath.mpf(generator.choice([-1, 1]) * generator.randint(20, 300)) / 97


def _related(
    relation: str, left: mpmath.mpf, right: mpmath.mpf, rounding: float
) -> bool:
    size = max(abs(left), abs(right), mpmath.mpf(1) / 10**6)
    if relation == "≠":
        return left != right
    if relation in "<>≤≥":
        return {
            "<": left < right,
            ">": left > right,
            "≤": left <= right,
            "≥": left >= right,
        }[relation]
    if relation == "≈":
        return abs(left - right) <= max(rounding, _ABOUT * size)
    if rounding:
        if rounding < size * mpmath.mpf(10) ** -(_FLOAT32_DIGITS - 1):
            rounding = max(rounding, _FLOAT32 * size)
        return abs(left - right) <= rounding
    return abs(left - right) <= size * mpmath.mpf(10) ** -_DIGITS


def _readable(symbol: sympy.Symbol) -> str:
    return symbol.name.replace("\\", "")
