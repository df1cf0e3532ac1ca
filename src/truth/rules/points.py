"""Points at which a rule is tried, and shapes that its forward pass accepts."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import tensorflow as tf

from .function import Function, Misdeclared, Point, Refused, evaluate
from .sites import Declared

TRIES = 40
"""Draws until a point must have been found in the domain."""
SCALAR_BECOMES = ((), (1,), (3,), (2, 3))


def normal(rng: np.random.Generator, like: np.ndarray) -> np.ndarray:
    real = rng.standard_normal(like.shape)
    if np.iscomplexobj(like):
        return real + 1j * rng.standard_normal(like.shape)
    return real


def _near(rng: np.random.Generator, at: np.ndarray) -> np.ndarray:
    return at + 0.1 * np.maximum(1, abs(at)) * normal(rng, at)


def _same_sign(rng: np.random.Generator, at: np.ndarray) -> np.ndarray:
    return at * np.exp(0.3 * rng.standard_normal(at.shape))


def _anywhere(rng: np.random.Generator, at: np.ndarray) -> np.ndarray:
    return normal(rng, at)


def _wide(rng: np.random.Generator, at: np.ndarray) -> np.ndarray:
    return 3 * normal(rng, at)


def _positive(rng: np.random.Generator, at: np.ndarray) -> np.ndarray:
    return rng.uniform(0.1, 2, at.shape).astype(at.dtype)


NEAR = (_near, _same_sign)
FAR = (_anywhere, _positive, _wide)


class Domain:
    """Where a function is promised to be differentiable: what is declared, and
    where its value is finite."""

    def __init__(
        self, function: Function, declared: Declared, rng: np.random.Generator
    ) -> None:
        self.function = function
        self._declared = declared
        self._rng = rng

    @property
    def made(self) -> bool:
        """Whether a declaration makes inputs of what is drawn."""
        return bool(self._declared.generators)

    def point(self, drawn: Point) -> Point:
        """The inputs that are made of what was drawn."""
        if not self.made:
            return drawn
        tensors = self.function.tensors(drawn, double=True)
        places = {each.name: i for i, each in enumerate(self.function.inputs)}
        point = list(drawn)
        for name, expression in self._declared.generators.items():
            if name not in places:
                raise Misdeclared(f"'{name} = {expression}': no input is {name}")
            place = places[name]
            tensors[place] = tf.cast(
                evaluate(expression, self.function.scope(tensors)), tensors[place].dtype
            )
            point[place] = tensors[place].numpy()
        return point

    def promised(self, point: Point) -> bool:
        """Whether all that is declared of the inputs holds."""
        if not self._declared.conditions:
            return True
        scope = self.function.scope(self.function.tensors(point, double=False))
        return all(
            np.all(np.asarray(evaluate(each, scope)))
            for each in self._declared.conditions
        )

    def holds(self, point: Point, double: bool) -> bool:
        """Whether the point is promised, and the forward pass gives numbers."""
        if not self.promised(point):
            return False
        tensors = self.function.tensors(point, double)
        try:
            outputs = self.function.outputs(tensors)
        except Refused:
            return False
        return all(np.isfinite(each.numpy()).all() for each in outputs)

    def draw(self, ways: tuple, like: Point, double: bool) -> Point | None:
        """A random point as ``point`` takes it, or None where none is found."""
        for turn in range(TRIES):
            way = ways[turn % len(ways)]
            drawn = list(like)
            for i in self.function.moving:
                base = like[i]
                if self.function.leaves[i].name in self._declared.fixed:
                    continue
                if not np.isfinite(base).all():
                    base = np.where(np.isfinite(base), base, normal(self._rng, base))
                drawn[i] = np.asarray(way(self._rng, base))
            try:
                if self.holds(self.point(drawn), double):
                    return drawn
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
        its = function.leaves[i]
        drawn = rng.standard_normal(its.shape) if its.moves else np.zeros(its.shape)
        function.leaves[i] = replace(its, value=drawn.astype(its.dtype.as_numpy_dtype))
    return bool(unknown)


def other_shapes(function: Function, point: Point) -> Iterator[Point]:
    """The point with inputs of other shapes, which may or may not be accepted:
    one axis or all made 1, a single number made many, a batch of zero; each
    input by itself, those of one shape together, those of one batch together."""
    inputs = [i for i, each in enumerate(function.inputs) if each.dtype is not None]
    moving = [i for i in inputs if function.leaves[i].moves]
    groups: list[list[int]] = []
    for i in moving:
        alike = [j for j in moving if np.shape(point[j]) == np.shape(point[i])]
        groups += [group for group in ([i], alike) if group not in groups]
    for group in groups:
        shape = np.shape(point[group[0]])
        for other in _shapes_like(shape):
            yield _resized(point, dict.fromkeys(group, other))
    batches = {np.shape(point[i])[0] for i in moving if np.ndim(point[i])}
    for size in sorted(batches):
        of_batch = [i for i in inputs if np.shape(point[i])[:1] == (size,)]
        if of_batch not in groups:
            yield _resized(point, {i: (0, *np.shape(point[i])[1:]) for i in of_batch})


def _shapes_like(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    others = list(SCALAR_BECOMES) if np.prod(shape) == 1 else [()]
    others += [(*shape[:i], 1, *shape[i + 1 :]) for i in range(len(shape))]
    others += [(0, *shape[1:])] if shape else [(0,)]
    return [other for other in dict.fromkeys(others) if other != shape]


def _resized(point: Point, shapes: dict[int, tuple[int, ...]]) -> Point:
    return [
        np.resize(array, shapes[i]).astype(array.dtype) if i in shapes else array
        for i, array in enumerate(point)
    ]
