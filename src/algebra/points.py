"""Whether two expressions are related as claimed: by SymPy, or at many points.

Sides that are equal as functions agree at every point; sides that are not differ
at almost every one, unless they have branches. So points lie at all magnitudes and
around every constant in the formula and in its conditions, and each branch is met.
They are the same in each run.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice, pairwise
from operator import ge, gt, le, lt, ne
from typing import Any

import mpmath
import sympy

from .latex import Refusal

_ATTEMPTS, _MOST, _LEAST = 600, 24, 3
"""Points that are looked at, and how many are compared, at most and at least."""
_FAR = (1e-6, 1e-3, 0.03, 8, 30, 200, 1e3)
_NEAR = (1e-6, 0.01, 0.1, 0.4)
"""How far from a constant, absolutely and relatively."""
_DIGITS, _ALL_DIGITS = 50, 4000
"""What is computed with, and what is, where the sides seem to differ far from 1."""
_EQUAL = mpmath.mpf(10) ** -30
_ABOUT = 0.05
"""How far apart, relatively, two sides of ≈ may be that show no digits."""
_FLOAT32_DIGITS, _FLOAT32 = 9, 2.0**-23
"""A number with so many digits is float32's, and may be off by its rounding."""
_LARGEST = 3000
"""Beyond it, what these functions lose in sums is more than all digits."""
_STEEP = ("exp", "sinh", "cosh", "tanh", "coth", "erf")
_FEW = 12
"""Constants of which sums are places, too: branches begin there."""
_BRANCHES = (sympy.Piecewise, sympy.Abs, sympy.sign, sympy.floor, sympy.ceiling)
ORDERS = {"<": sympy.Lt, ">": sympy.Gt, "≤": sympy.Le, "≥": sympy.Ge, "≠": sympy.Ne}
_COMPARED = {"<": lt, ">": gt, "≤": le, "≥": ge, "≠": ne}

Point = list[mpmath.mpf]
Pairs = tuple[tuple[sympy.Expr, sympy.Expr], ...]


class Refuted(Refusal):
    """A claim that does not hold."""


class Contradicted(Refuted):
    """A claim of numbers that are others."""


@lru_cache(maxsize=100_000)
def hold(
    relation: str,
    pairs: Pairs,
    conditions: tuple[sympy.Basic, ...] = (),
    rounding: float = 0,
) -> int:
    """At how many points sides were tried to be related otherwise; 0 if that they
    are related so is proven. Raises Refuted where they are not.

    ``conditions`` restrict the points; those on other symbols do not count.
    ``rounding`` is how far two numbers may be apart.
    """
    sides = tuple(side for pair in pairs for side in pair)
    if any(s.has(sympy.zoo, sympy.nan) and not s.has(sympy.Piecewise) for s in sides):
        raise Refuted("a side is not defined")
    pairs = tuple(pair for pair in pairs if relation != "=" or pair[0] != pair[1])
    if not pairs:
        return 0
    symbols = _symbols(side for pair in pairs for side in pair)
    if relation in ORDERS and symbols:
        decided = {_decided(relation, *pair, conditions) for pair in pairs}
        if False in decided:
            raise Refuted("does not hold: SymPy says the contrary")
        if decided == {True}:
            return 0
        if relation == "≠":  # almost everywhere anything differs
            raise Refuted("that they differ everywhere is not shown")
    evaluate = _function(symbols, [list(pair) for pair in pairs])
    real = not any(side.has(sympy.I) for side in sides)
    compared, met = [0] * len(pairs), 0
    for point in _points(symbols, sides, conditions, relation in ORDERS):
        met += 1
        near = all(1 / 8 < abs(coordinate) < 4 for coordinate in point)
        for digits in (_DIGITS,) if near else (_DIGITS, _ALL_DIGITS):
            with mpmath.workdps(digits):
                faults = _faults(relation, evaluate, point, rounding, real)
            if not any(faults):
                break
        if fault := next(filter(None, faults), None):
            at = ", ".join(
                f"{_readable(s)} = {mpmath.nstr(p, 3)}" for s, p in zip(symbols, point)
            )
            raise Refuted(f"{fault} at {at}") if at else Contradicted(fault)
        compared = [
            n + (fault is not None)
            for n, fault in zip(compared, faults or [None] * len(pairs))
        ]
    if met < _LEAST and symbols:
        raise Refuted(f"fewer than {_LEAST} points meet the conditions")
    if min(compared) < (_LEAST if symbols else 1):
        raise Refuted("hardly a point at which both sides are defined")
    return min(compared) if symbols and relation != "=" else 0


def _faults(
    relation: str, evaluate: Callable, point: Point, rounding: float, real: bool
) -> list[str | None]:
    """Why each pair is not related so at a point; None: it is not defined."""
    try:
        return [_fault(relation, a, b, rounding, real) for a, b in evaluate(*point)]
    except (ArithmeticError, ValueError, TypeError):
        return []  # not defined here, or complex where an order is asked


def _fault(
    relation: str, left: mpmath.mpf, right: mpmath.mpf, rounding: float, real: bool
) -> str | None:
    # A root or a logarithm of a negative number has no real value.
    defined = [
        mpmath.isfinite(side) and not (real and mpmath.im(side))
        for side in (left, right)
    ]
    if any(defined) != all(defined):
        return "only one of the sides is defined everywhere"
    if not all(defined):
        return None
    if _related(relation, left, right, rounding):
        return ""
    return f"does not hold: {mpmath.nstr(left, 9)} and {mpmath.nstr(right, 9)}"


def _symbols(sides: Iterable[sympy.Basic]) -> list[sympy.Symbol]:
    found: set[sympy.Symbol] = set()
    return sorted(found.union(*(s.free_symbols for s in sides)), key=lambda s: s.name)


def meets(condition: sympy.Basic) -> None:
    """Raises Refuted where a condition leaves hardly a point."""
    found = islice(_points(_symbols([condition]), (condition,), (condition,)), _LEAST)
    if condition != sympy.true and len(list(found)) < _LEAST:
        raise Refuted(f"fewer than {_LEAST} points meet it")


def shrinks(
    difference: sympy.Expr, size: sympy.Expr, conditions: tuple[sympy.Basic, ...]
) -> bool:
    """Whether a difference is O of a power of the one symbol of its size: on the side
    of 0 on which that lies, at points of both."""
    (small,) = size.free_symbols
    symbols = _symbols((difference, small))
    ratio = _function(symbols, difference / size)
    places = [*islice(_points(symbols, (difference,), conditions), _LEAST**2)]
    for place in places:
        point = dict(zip(symbols, place))
        with mpmath.workdps(_ALL_DIGITS):
            near, far = (
                abs(ratio(*{**point, small: mpmath.sign(point[small]) * h}.values()))
                for h in (mpmath.mpf(10) ** -12, mpmath.mpf(10) ** -3)
            )
            if not near <= 100 * far + _EQUAL:  # or is not defined
                return False
    return len(places) >= _LEAST


def _function(symbols: list[sympy.Symbol], of: Any) -> Callable:
    def bounded(name: str) -> Callable:
        def function(x: mpmath.mpf) -> mpmath.mpf:
            if abs(x) > _LARGEST:
                raise OverflowError
            return getattr(mpmath, name)(x)

        return function

    # Names that Python takes: SymPy is slow to find such.
    named = {s: sympy.Symbol(f"arg{n}", real=True) for n, s in enumerate(symbols)}

    def renamed(part: Any) -> Any:
        if isinstance(part, list):
            return list(map(renamed, part))
        equal = {  # to as many digits as points have
            eq: (abs(eq.lhs - eq.rhs) < _EQUAL) ^ isinstance(eq, sympy.Ne)
            for eq in part.atoms(sympy.Eq, sympy.Ne)
        }
        return part.xreplace(equal).xreplace(named)

    steep = {name: bounded(name) for name in _STEEP}
    arguments = list(named.values())
    return sympy.lambdify(arguments, renamed(of), [steep, "mpmath"], cse=True)


def _decided(
    relation: str,
    a: sympy.Expr,
    b: sympy.Expr,
    conditions: tuple[sympy.Basic, ...],
) -> bool | None:
    """What SymPy says of an order, knowing which symbols are positive."""
    signs = {
        symbol: sympy.Dummy(positive=True)
        for condition in conditions
        for symbol in condition.free_symbols
        if condition == (symbol > 0)
    }
    decided = ORDERS[relation](sympy.expand((a - b).subs(signs)), 0)
    return bool(decided) if decided in (sympy.true, sympy.false) else None


def _points(
    symbols: list[sympy.Symbol],
    sides: tuple[sympy.Basic, ...],
    conditions: tuple[sympy.Basic, ...],
    everywhere: bool = False,
) -> Iterator[Point]:
    """Generic points first, and then such with coordinates at other places; at all
    of these ``everywhere``, as where an order may fail, or where there are branches."""
    if not symbols:
        yield []
        return
    conditions = tuple(
        c for c in conditions if c.free_symbols and c.free_symbols <= set(symbols)
    )
    generator = random.Random(1)
    places = _places((*sides, *conditions))
    generator.shuffle(places)
    equal = [
        (symbols.index(eq.lhs), _function(symbols, eq.rhs))
        for side in sides
        for eq in side.atoms(sympy.Eq, sympy.Ne)
        if eq.lhs in symbols and eq.lhs not in eq.rhs.free_symbols
    ]
    everywhere = everywhere or any(side.has(*_BRANCHES) for side in sides)
    left = _MOST + (2 * len(places) if everywhere else 0)
    met = [_function(symbols, condition) for condition in conditions]
    for attempt in range(_ATTEMPTS):
        point = [_generic(generator) for _ in symbols]
        if attempt < len(equal):
            number, place = equal[attempt]
            with mpmath.workdps(_DIGITS):
                point[number] = place(*point)
        elif attempt % 4 > 1:
            point[attempt % len(symbols)] = places[attempt // 2 % len(places)]
        elif attempt % 4:
            point = [generator.choice([x, generator.choice(places)]) for x in point]
        if all(condition(*point) for condition in met):
            yield point
            left -= 1
        if not left:
            return


def _places(expressions: tuple[sympy.Basic, ...]) -> Point:
    """Around every constant, between two of them, and at all magnitudes."""
    constants = {mpmath.mpf(0)} | {
        sign * mpmath.mpf(each.p) / each.q
        for expression in expressions
        for each in expression.atoms(sympy.Rational)
        for sign in (1, -1)
    }
    if len(constants) <= _FEW:
        constants |= {one + other for one in constants for other in constants}
    # Not in the very middle, which may be where a branch begins.
    between = [one + (other - one) * 0.47 for one, other in pairwise(sorted(constants))]
    far = [sign * mpmath.mpf(each) for each in _FAR for sign in (1, -1)]
    return [
        *between,
        *far,
        *(
            c + d * max(1, abs(c)) * s
            for c in constants
            for d in _NEAR
            for s in (1, -1)
        ),
    ]


def _generic(generator: random.Random) -> mpmath.mpf:
    # No whole number, at which a branch may begin.
    return mpmath.mpf(generator.choice([-1, 1]) * generator.randint(200, 3000)) / 977.5


def _related(
    relation: str, left: mpmath.mpf, right: mpmath.mpf, rounding: float
) -> bool:
    size = max(abs(left), abs(right), mpmath.mpf(1) / 10**6)
    if relation in ORDERS:
        return _COMPARED[relation](left, right)
    if rounding:
        if rounding < size * mpmath.mpf(10) ** -(_FLOAT32_DIGITS - 1):
            rounding = max(rounding, _FLOAT32 * size)
        return abs(left - right) <= rounding
    return abs(left - right) <= size * (_ABOUT if relation == "≈" else _EQUAL)


def _readable(symbol: sympy.Symbol) -> str:
    return symbol.name.replace("\\", "")
