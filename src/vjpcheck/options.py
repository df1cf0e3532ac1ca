"""What is asked of a custom gradient, and the right gradient where it is told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

from .arrays import flat, normal
from .core import Arrays, GradientError
from .function import Function, Misdeclared, as_arrays, demanded, moved_to, wide

AROUND = 16
"""Points that tell what is around a kink."""
CLOSE = 1e-6
"""Distance of these points, in standard deviations."""
SHAPES = (None, False, True, "broadcast")


@dataclass
class Options:
    """The options of ``check_custom_gradient``, and those of the site's build."""

    like: Callable | None = None
    vjp: Callable | None = None
    where: list[Callable] = field(default_factory=list)
    means: Callable | None = None
    """Takes an upstream gradient and all inputs, and returns what is used instead."""
    shapes: bool | str | None = None
    order: int = 2
    needs_second: bool = False
    """True if the second derivative must exist."""
    graph: bool = True
    unknown: bool = True
    """False to try no unknown batch size and rank."""
    xla: bool = False
    slices: bool = True
    """False for a gradient function that shall not be given ``tf.IndexedSlices``."""
    rtol: float | None = None
    atol: float = 0.0


def options_of(where: Callable | None = None, seed: int = 0, **options: Any) -> Options:
    """Return the options of ``check_custom_gradient``. Raises ValueError for a value
    that can't be used, and TypeError for a name that there isn't."""
    parsed = Options(where=[where] if where else [], **options)
    if parsed.like and parsed.vjp:
        raise ValueError("pass like or vjp, not both")
    if parsed.shapes not in SHAPES:
        raise ValueError(f"shapes must be one of {SHAPES}")
    if parsed.order not in (1, 2):
        raise ValueError("order must be 1 or 2: for more, see check_grads")
    if parsed.rtol is not None and not 0 < parsed.rtol <= 0.1:
        raise ValueError(f"rtol={parsed.rtol} proves nothing")
    return parsed


class Told:
    """The right gradients, as another function tells them."""

    def __init__(self, function: Function, options: Options, double: bool) -> None:
        self._function, self._options, self._in_double = function, options, double

    def __bool__(self) -> bool:
        return bool(self._options.like or self._options.vjp)

    def right(self, place: Arrays, upstream: list, double: bool) -> Arrays:
        """Return the right gradients as another function tells them, in float64 if it
        can."""
        function, options = self._function, self._options
        double = double or self._in_double
        upstream = self.means(upstream, place, double)
        tensors = function.tensors(place, double)
        if double:
            upstream = [tf.cast(each, wide(each.dtype)) for each in upstream]
        sources, gradients = [tensors[i] for i in function.moving], []
        if options.like:
            with tf.GradientTape() as tape, demanded("like"):
                tape.watch(sources)
                outputs = function.run(options.like, tensors)
            shapes = [[list(e.shape) for e in part] for part in (outputs, upstream)]
            if shapes[0] != shapes[1]:
                raise Misdeclared(
                    "like has outputs of the shapes {}, f of {}".format(*shapes)
                )
            gradients = tape.gradient(outputs, sources, upstream)
        elif options.vjp:
            inputs = function.packed(tensors)
            told = options.vjp(upstream[0] if len(upstream) == 1 else upstream, *inputs)
            gradients = tf.nest.flatten(told)
            moving = [i for i in function.moving if i < len(function.inputs)]
            if len(gradients) not in (len(moving), len(function.inputs)):
                raise Misdeclared(f"vjp returns {len(gradients)} gradients")
            if len(gradients) == len(function.inputs):
                gradients = [gradients[i] for i in moving]
            sources = sources[: len(gradients)]
        try:
            names = [function.leaves[i].name for i in function.moving]
            return as_arrays(gradients, sources, names)
        except GradientError as error:
            raise Misdeclared(f"of like or vjp, {error}") from error

    def means(self, upstream: list, place: Arrays, double: bool) -> list:
        """Return what is used instead of the upstream gradients."""
        if not self._options.means:
            return upstream
        inputs = self._function.packed(self._function.tensors(place, double))
        return [tf.convert_to_tensor(self._options.means(u, *inputs)) for u in upstream]

    def around(
        self, place: Arrays, upstream: list, double: bool, rng: np.random.Generator
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the smallest and the largest right gradients close by, in rows, for
        each argument: at a kink, any between them is right."""
        moving, found = self._function.moving, []
        for _ in range(AROUND):
            near = [place[i] + CLOSE * normal(rng, place[i]) for i in moving]
            right = self.right(moved_to(place, moving, near), upstream, double)
            found.append([flat([each]) for each in right])
        return [(np.min(each, 0), np.max(each, 0)) for each in zip(*found)]
