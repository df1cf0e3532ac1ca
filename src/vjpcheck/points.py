"""Points at which a rule is tried, and shapes that its forward pass accepts."""

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import tensorflow as tf

from .declared import Declared
from .function import (
    Function,
    Misdeclared,
    Point,
    Refused,
    codes_of,
    evaluate,
    visible_values,
)

TRIES = 12
"""Draws until a point must have been found in the domain."""
CONSTANTS = 8
"""Of a program's numbers, at most; both sides of each, with either sign."""
SCALAR_BECOMES = ((), (1,), (3,), (2, 3), (2, 1, 3))

Way = Callable[[np.random.Generator, np.ndarray], np.ndarray]
"""How an input is drawn, given the one of the call."""


def normal(rng: np.random.Generator, like: np.ndarray) -> np.ndarray:
    real = rng.standard_normal(like.shape)
    if np.iscomplexobj(like):
        return real + 1j * rng.standard_normal(like.shape)
    return real


def _near(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return values + 0.1 * np.maximum(1, abs(values)) * normal(rng, values)


def _same_sign(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return values * np.exp(0.3 * rng.standard_normal(values.shape))


def _positive(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return rng.uniform(0.1, 2, values.shape).astype(values.dtype)


def _times(size: float) -> Way:
    return lambda rng, values: size * normal(rng, values)


def _large(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return normal(rng, values) * 10 ** rng.uniform(1, 3, values.shape)


def _tied(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """Numbers of which half are the same."""
    numbers = normal(rng, values)
    tied = rng.random(values.shape) < 0.5
    return np.where(tied, numbers[tied][:1].sum(), numbers)


def _zero(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return np.zeros_like(values)


def beside(sides: Iterator[float]) -> Way:
    """The next numbers of these, each a little to its side."""

    def way(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
        taken = np.fromiter(sides, float, values.size).reshape(values.shape)
        numbers = taken * (1 + 10 ** rng.uniform(-5, -1.5, values.shape))
        return (
            numbers + 1j * normal(rng, values) if np.iscomplexobj(values) else numbers
        )

    return way


def mixed(sides: Iterator[float]) -> Way:
    """Some numbers beside these, some small ones of either sign, others."""

    def way(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
        small = 10 ** rng.uniform(-4, 0, values.shape) * normal(rng, values)
        is_beside = rng.random(values.shape) < 0.5
        return np.where(is_beside, beside(sides)(rng, values), small)

    return way


NEAR = (_near, _same_sign)
FAR = (_times(1), _positive, _times(3))
EXTREME = (_large, _times(1e-4), _tied, _zero)


def sides(function: Function, rng: np.random.Generator) -> list[float]:
    """Both sides of each number that the function reads, with either sign: beyond
    it, and before it."""
    numbers = {abs(float(number)) for number in _numbers(function.forward, set())}
    numbers |= {abs(float(number)) for number in _numbers(function.call, set())}
    chosen = sorted(numbers - {0.0}, key=lambda number: (number.is_integer(), number))
    beside_numbers = [
        sign * number * side
        for number in chosen[:CONSTANTS]
        for sign in (1, -1)
        for side in (1, 1 - 2**-5)
    ]
    return [beside_numbers[i] for i in rng.permutation(len(beside_numbers))]


def _numbers(function: Callable, visited: set[int]) -> Iterator[float]:
    """Real numbers in the code of a function and of those that it calls by name."""
    inner = getattr(inspect.unwrap(function), "__func__", function)
    if id(inner) in visited:
        return
    visited.add(id(inner))
    constants = [value for code in codes_of(inner) for value in code.co_consts]
    for value in (*constants, *visible_values(inner).values()):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if math.isfinite(value):
                yield value
        elif callable(value) and getattr(value, "__module__", "") == inner.__module__:
            yield from _numbers(value, visited)


class Domain:
    """The points at which a function is promised to be differentiable: those that are
    declared, and where its value is finite."""

    def __init__(
        self, function: Function, declared: Declared, rng: np.random.Generator
    ) -> None:
        self.function = function
        self._declared = declared
        self._rng = rng

    @property
    def made(self) -> bool:
        """Return whether a declaration makes inputs from random ones."""
        return bool(self._declared.generators)

    @property
    def fixed(self) -> list[str]:
        """Inputs that stay as they are."""
        return self._declared.fixed

    def point(self, start: Point) -> Point:
        """The inputs that are made of what was drawn."""
        if not self.made:
            return start
        tensors = self.function.tensors(start, double=True)
        places = {each.name: i for i, each in enumerate(self.function.inputs)}
        point = list(start)
        for name, expression in self._declared.generators.items():
            if name not in places:
                raise Misdeclared(f"'{name} = {expression}': no input is {name}")
            place = places[name]
            tensors[place] = tf.cast(
                evaluate(expression, self.function.scope(tensors)), tensors[place].dtype
            )
            point[place] = tensors[place].numpy()
        return point

    def demand_varied(self, points: list[Point]) -> None:
        """Raise Misdeclared for an input that is made, but always the same."""
        inputs = [self.point(each) for each in points]
        for i, leaf in enumerate(self.function.inputs):
            is_made = (
                leaf.name in self._declared.generators.keys() - self._declared.fixed
            )
            if is_made and all(
                np.array_equal(each[i], inputs[0][i]) for each in inputs
            ):
                raise Misdeclared(f"'{leaf.name} = …' is the same for all inputs")

    def promised(self, point: Point) -> bool:
        """Return whether all that is declared of the inputs holds."""
        if not self._declared.conditions:
            return True
        scope = self.function.scope(self.function.tensors(point, double=False))
        return all(
            np.all(np.asarray(evaluate(each, scope)))
            for each in self._declared.conditions
        )

    def holds(self, point: Point, double: bool) -> bool:
        """Return whether the point is promised, and the forward pass gives numbers."""
        if not self.promised(point):
            return False
        tensors = self.function.tensors(point, double)
        try:
            outputs = self.function.outputs(tensors)
        except Refused:
            return False
        return all(np.isfinite(each.numpy()).all() for each in outputs)

    def draw(self, ways: tuple, like: Point, double: bool) -> Point | None:
        """A random point as ``point`` takes it, or None where none is found. Whole
        numbers are those that the program has, in another order, some twice."""
        for turn in range(TRIES):
            way = ways[turn % len(ways)]
            point = list(like)
            if way not in NEAR and turn < TRIES / 2:
                for i, leaf in enumerate(self.function.inputs):
                    if leaf.dtype and leaf.dtype.is_integer and np.ndim(like[i]):
                        point[i] = self._rng.choice(like[i].ravel(), like[i].shape)
            for i in self.function.moving:
                base = like[i]
                if self.function.leaves[i].name in self.fixed:
                    continue
                if not np.isfinite(base).all():
                    base = np.where(np.isfinite(base), base, normal(self._rng, base))
                point[i] = np.asarray(way(self._rng, base))
                if turn % 3 == 2:  # maybe it must be positive
                    point[i] = abs(point[i]).astype(point[i].dtype)
            try:
                if self.holds(self.point(point), double):
                    return point
            except Misdeclared:  # which is told where the program called
                return None
        return None


def fill(function: Function, rng: np.random.Generator) -> bool:
    """Give inputs that only the program's graph knows a value; whether any."""
    unknown = [
        i
        for i, each in enumerate(function.leaves)
        if each.dtype is not None and each.value is None
    ]
    for i in unknown:
        leaf = function.leaves[i]
        array = rng.standard_normal(leaf.shape) if leaf.moves else np.zeros(leaf.shape)
        function.leaves[i] = replace(
            leaf, value=array.astype(leaf.dtype.as_numpy_dtype)
        )
    return bool(unknown)


def other_shapes(function: Function, point: Point) -> Iterator[Point]:
    """The point with inputs of other shapes, which may or may not be accepted: an
    axis made 1, or longer, or a new one; a single number made many, none at all;
    each input by itself, those of one shape together, those of one batch together,
    all together."""
    inputs = [i for i, each in enumerate(function.inputs) if each.dtype is not None]
    moving = [i for i in inputs if function.leaves[i].moves]
    groups: dict[tuple[int, ...], None] = {}
    for i in moving:
        alike = [j for j in moving if np.shape(point[j]) == np.shape(point[i])]
        groups |= {(i,): None, tuple(alike): None}
    for group in groups:
        for longer in _shapes_like(np.shape(point[group[0]])):
            yield _resized(point, dict.fromkeys(group, longer))
    batches = {np.shape(point[i])[0] for i in moving if np.ndim(point[i])}
    for size in sorted(batches):
        of_batch = [i for i in inputs if np.shape(point[i])[:1] == (size,)]
        if tuple(of_batch) not in groups:
            for changed in (0, size + 1):
                yield _resized(
                    point, {i: (changed, *np.shape(point[i])[1:]) for i in of_batch}
                )
    if tuple(moving) not in groups:
        yield _resized(point, {i: (2, *np.shape(point[i])) for i in moving})


def _shapes_like(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    shapes = list(SCALAR_BECOMES) if np.prod(shape) == 1 else [()]
    shapes += [(*shape[:i], 1, *shape[i + 1 :]) for i in range(len(shape))]
    shapes += [(0, *shape[1:])] if shape else [(0,)]
    if shape:
        shapes += [(shape[0] + 1, *shape[1:]), (2, *shape), (*shape, 2)]
    return [other for other in dict.fromkeys(shapes) if other != shape]


def _resized(point: Point, shapes: dict[int, tuple[int, ...]]) -> Point:
    return [
        np.resize(array, shapes[i]).astype(array.dtype) if i in shapes else array
        for i, array in enumerate(point)
    ]
