"""Points at which a gradient is tried, and shapes that the function accepts."""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle

import numpy as np

from .arrays import flat, moved_to, normal
from .core import Arrays
from .function import (
    Function,
    Misdeclared,
    Refused,
    codes_of,
    describe,
    is_square,
    visible_values,
)

TRIES = 12
"""Draws until a point must have been found in the domain."""
CONSTANTS = 8
"""Of a program's numbers, at most; both sides of each, with either sign."""
SCALAR_BECOMES = ((), (1,), (3,), (2, 3), (2, 1, 3))

Way = Callable[[np.random.Generator, np.ndarray], np.ndarray]
"""How an input is drawn, given the one of the call."""


def _times(size: float, rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return size * normal(rng, values)


def _large(size: float, rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """Return numbers of either sign, the first of which have this size."""
    sizes = np.resize([size, -size, size / 10, -size / 10], values.shape)
    return sizes * rng.uniform(0.9, 1.1, values.shape).astype(values.dtype)


def _tied(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """Return numbers of which the largest and the smallest come twice."""
    numbers = normal(rng, values).ravel()
    if np.iscomplexobj(numbers) or numbers.size < 2:
        return numbers.reshape(values.shape)
    order = np.argsort(numbers)
    if numbers.size > 2:
        numbers[order[1]] = numbers[order[0]]
    numbers[order[-2]] = numbers[order[-1]]
    return numbers.reshape(values.shape)


def beside(
    sides: Iterator[float], rng: np.random.Generator, values: np.ndarray
) -> np.ndarray:
    """Return the next numbers of these, each a little to its side."""
    taken = np.fromiter(sides, float, values.size).reshape(values.shape)
    numbers = taken * (1 + 10 ** rng.uniform(-5, -1.5, values.shape))
    return numbers + 1j * normal(rng, values) if np.iscomplexobj(values) else numbers


def mixed(
    sides: Iterator[float], rng: np.random.Generator, values: np.ndarray
) -> np.ndarray:
    """Return some numbers beside these, and some small ones of either sign."""
    small = 10 ** rng.uniform(-4, 0, values.shape) * normal(rng, values)
    is_beside = rng.random(values.shape) < 0.5
    return np.where(is_beside, beside(sides, rng, values), small)


NEAR: tuple[Way, ...] = (
    lambda rng, x: x + 0.1 * np.maximum(1, abs(x)) * normal(rng, x),
    lambda rng, x: x * np.exp(0.3 * rng.standard_normal(x.shape)),
)
FAR: tuple[Way, ...] = (
    partial(_times, 1),
    lambda rng, x: rng.uniform(0.1, 2, x.shape).astype(x.dtype),
    partial(_times, 3),
)
EXTREME: tuple[tuple[Way, ...], ...] = (
    tuple(partial(_large, size) for size in (1000, 300, 100, 30, 10)),
    tuple(partial(_large, size) for size in (100, 30, 10)),
    (partial(_times, 1e-4),),
    (_tied,),
    (lambda rng, x: np.full_like(x, normal(rng, x[..., None][:1]).sum() or 1.0),),
)
"""Where gradient functions break: always tried, and not by chance."""
ZEROS: tuple[tuple[Way, ...], ...] = (
    (lambda rng, x: np.zeros_like(x),),
    (lambda rng, x: normal(rng, x) * (np.arange(x.size).reshape(x.shape) % 2),),
)


def sides(function: Function, rng: np.random.Generator) -> list[float]:
    """Both sides of each number that the function reads, with either sign: beyond
    it, and before it."""
    read = [*_numbers(function.forward, set()), *_numbers(function.call, set())]
    numbers = {abs(float(number)) for number in read}
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
    """The points at which a function is promised to be differentiable: those that
    ``where`` accepts, and at which its value is finite."""

    def __init__(
        self, function: Function, where: Sequence[Callable], rng: np.random.Generator
    ) -> None:
        self.function, self._where, self._rng = function, where, rng

    def promised(self, point: Arrays, strict: bool = False) -> bool:
        """Return whether all conditions hold. If they raise, the point isn't promised;
        if it is the one of the call, they raise Misdeclared."""
        if not self._where:
            return True
        inputs = self.function.packed(self.function.tensors(point, double=False))
        try:
            return all(np.all(np.asarray(each(*inputs))) for each in self._where)
        except Exception as error:
            if strict:
                raise Misdeclared(f"where raises {describe(error)}") from error
            return False

    def values(self, point: Arrays, double: bool) -> Arrays | None:
        """Return the outputs, or None outside of the domain of the forward pass."""
        try:
            outputs = self.function.outputs_at(point, double)
        except Refused:
            return None
        return [each.numpy() for each in outputs]

    def rounding(self, here: Arrays) -> float:
        """Return the rounding of a function that computes in a narrower dtype than that
        of its inputs, or 0: of such, small steps change nothing that larger ones do."""
        moving = self.function.moving
        moves = [normal(self._rng, here[i]) for i in moving]

        def values(step: float) -> np.ndarray:
            moved = [
                here[i] + step * np.maximum(1, abs(here[i])) * move
                for i, move in zip(moving, moves)
            ]
            point = moved_to(here, moving, moved)
            return flat(self.values(point, double=True) or [])

        center, far, farther = map(values, (0.0, 1e-2, 1e-1))
        if not center.shape == far.shape == farther.shape:
            return 0.0
        # Of a step function, longer steps change more of the numbers.
        if (far != center).sum() <= 0.7 * (farther != center).sum():
            return 0.0
        for step, rounding in ((1e-11, 0.0), (1e-6, 1e-7), (1e-3, 1e-3)):
            near = values(step)
            if near.shape != center.shape:
                return 0.0
            if (near != center)[far != center].mean() > 0.5:
                return rounding
        return 8e-3

    def holds(self, point: Arrays, double: bool) -> bool:
        """Return whether the point is promised, and the forward pass gives numbers."""
        if not self.promised(point):
            return False
        outputs = self.values(point, double)
        return outputs is not None and all(np.isfinite(each).all() for each in outputs)

    def draw(self, ways: Sequence[Way], like: Arrays, double: bool) -> Arrays | None:
        """Return a random point, or None where none is found. Whole numbers are those
        that the program has, in another order, some twice."""
        for turn in range(TRIES):
            way = ways[turn % len(ways)]
            point = list(like)
            if way not in NEAR and turn < TRIES / 2:
                for i, leaf in enumerate(self.function.inputs):
                    if leaf.dtype and leaf.dtype.is_integer and np.size(like[i]) > 1:
                        point[i] = self._rng.choice(like[i].ravel(), like[i].shape)
            for i in self.function.moving:
                base = like[i]
                if not np.isfinite(base).all():
                    base = np.where(np.isfinite(base), base, normal(self._rng, base))
                point[i] = np.asarray(way(self._rng, base))
                if turn % 3 == 2:  # maybe it must be positive
                    point[i] = abs(point[i]).astype(point[i].dtype)
            if self.holds(point, double):
                return point
        return None

    def fill(self) -> bool:
        """Give inputs that only the program's graph knows a value; whether any."""
        leaves = self.function.leaves
        unknown = [each for each in leaves if each.dtype and each.value is None]
        for leaf in unknown:
            normal_numbers = self._rng.standard_normal(leaf.shape)
            array = normal_numbers if leaf.moves else np.zeros(leaf.shape)
            leaf.value = array.astype(leaf.dtype.as_numpy_dtype)
        return bool(unknown)


def batches(function: Function, point: Arrays) -> Iterator[Arrays]:
    """Yield the point with batches of other lengths: one more, 1, and none."""
    size = function.batch
    of_batch = {
        i: np.shape(point[i])[1:]
        for i in function.tensors_passed
        if np.shape(point[i])[:1] == (size,) and not is_square(np.shape(point[i]))
    }
    for length in (size + 1, 1, 0) if size is not None else ():
        yield _resized(point, {i: (length, *rest) for i, rest in of_batch.items()})


def other_sizes(function: Function, point: Arrays) -> Iterator[Arrays]:
    """Yield the point with each length that its axes have one longer, wherever it
    occurs."""
    shapes = {i: np.shape(point[i]) for i in function.tensors_passed}
    for size in sorted({n for shape in shapes.values() for n in shape if n > 1}):
        longer = {i: tuple(n + (n == size) for n in shapes[i]) for i in shapes}
        yield _resized(point, longer)


def broadcast(function: Function, point: Arrays) -> Iterator[Arrays]:
    """Yield the point with inputs of other shapes, each by itself and those of one
    shape together: an axis made 1, or longer, or a new one; a single number made many,
    none at all; and all inputs with a new axis."""
    moving = [i for i in function.moving if i < len(function.inputs)]
    groups: dict[tuple[int, ...], None] = {}
    for i in moving:
        alike = [j for j in moving if np.shape(point[j]) == np.shape(point[i])]
        groups |= {(i,): None, tuple(alike): None}
    for group in groups:
        for longer in _shapes_like(np.shape(point[group[0]])):
            yield _resized(point, dict.fromkeys(group, longer))
    if tuple(moving) not in groups:
        yield _resized(point, {i: (2, *np.shape(point[i])) for i in moving})


def ways_elsewhere(constants: list[float]) -> Iterator[tuple[Way, ...]]:
    """Yield, without end, ways to draw at other shapes."""
    near, far = (NEAR[0],), FAR[:2]
    mix = (partial(mixed, cycle(constants or [1.0])),)
    yield from cycle([near + far, mix + near + far])


def _shapes_like(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    shapes = list(SCALAR_BECOMES) if np.prod(shape) == 1 else [()]
    shapes += [(*shape[:i], 1, *shape[i + 1 :]) for i in range(len(shape))]
    shapes += [(0, *shape[1:])] if shape else [(0,)]
    if shape:
        shapes += [(shape[0] + 1, *shape[1:]), (2, *shape), (*shape, 2)]
    return [other for other in dict.fromkeys(shapes) if other != shape]


def _resized(point: Arrays, shapes: dict[int, tuple[int, ...]]) -> Arrays:
    return [
        np.resize(array, shapes[i]).astype(array.dtype) if i in shapes else array
        for i, array in enumerate(point)
    ]
