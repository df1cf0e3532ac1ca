"""One point at which a custom gradient is compared with the right one."""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import tensorflow as tf

from .arrays import as_text, element, flat, moved_to, normal
from .core import AT_MOST, Arrays, Comparison, GradientError, Result
from .function import Misdeclared, as_arrays, call_of, demanded, wide, widened
from .options import Options
from .rule import Rule

AROUND = 16
"""Points that tell what is around a kink of ``like`` or ``vjp``."""
CLOSE = 1e-6
"""Distance of these points, in standard deviations."""


class PointCheck:
    """A point, in one precision, and the right gradients there: from finite
    differences, or from ``like`` or ``vjp``.

    The differences are with respect to each number if there are at most
    ``each_number``. At a kink, ``slack`` of the difference of both sides is allowed
    outside of them.
    """

    def __init__(
        self,
        rule: Rule,
        point: Arrays,
        double: bool,
        each_number: int = AT_MOST,
        slack: float = 0.0,
    ) -> None:
        self.rule, self._function, self._options = rule, rule.function, rule.options
        self.point = point if double else rule.rounded(point)
        self.double = double
        self.outputs = rule.outputs(self.point, double)
        self.comparison: Comparison | None = None
        if not (self._options.like or self._options.vjp):
            self.comparison = self._differences(slack)
            self.comparison.add_all(each_number)

    def _differences(self, slack: float) -> Comparison:
        rule, function = self.rule, self._function
        rtol, noise = rule.tolerance(self.double)

        def values(arrays: Arrays) -> Arrays | None:
            point = moved_to(self.point, function.moving, arrays)
            return rule.domain.values(point, function.in_double)

        def pullback(arrays: Arrays, upstream: Arrays) -> Arrays:
            point = moved_to(self.point, function.moving, arrays)
            pairs = zip(upstream, self.outputs)
            upstream = [tf.cast(array, each.dtype) for array, each in pairs]
            return rule.gradients(point, upstream, self.double)

        return Comparison(
            rule.names,
            values,
            [self.point[i] for i in function.moving],
            rule.domain.values(self.point, function.in_double),
            rule.result,
            rule.rng,
            rtol,
            noise,
            function.in_double,
            rule.options.atol,
            slack=slack,
            pullback=pullback,
        )

    def gradients(self, upstream: list) -> Arrays:
        """Return the gradients of the function."""
        return self.rule.gradients(self.point, upstream, self.double)

    def right(self, upstream: list) -> Arrays:
        """Return the right gradients. Raises Undecided if they aren't known."""
        if not self.comparison:
            return self._declared(self.point, upstream)
        return self.comparison.right(
            widened(self._meant(upstream, self.point, self.double))
        )

    def demand(self, upstream: list, gradients: Arrays | None = None) -> None:
        """Demand that the gradients are right: those of the function, or these."""
        if gradients is None:
            gradients = self.gradients(upstream)
        place = partial(self.rule.at, self.point)
        if self.comparison:
            means = widened(self._meant(upstream, self.point, self.double))
            self.comparison.demand(widened(upstream), place, gradients, means)
            return
        self.rule.result.compared += 1
        right = self._declared(self.point, upstream)
        for k, (actual, expected) in enumerate(zip(gradients, right)):
            wrong = self._wrong(upstream, k, flat([actual]), flat([expected]))
            if wrong.any():
                n = int(np.argmax(wrong))
                name = element(self.rule.names[k], actual, n)
                raise GradientError(
                    f"{place()} with upstream = {as_text(upstream)}: the gradient with"
                    f" respect to {name} is {flat([actual])[n]:.6g}, but"
                    f" {flat([expected])[n]:.6g} is right"
                )

    def _wrong(
        self, upstream: list, k: int, actual: np.ndarray, expected: np.ndarray
    ) -> np.ndarray:
        """Return which numbers of a gradient are wrong. At a kink, any between the
        right gradients close by are right."""
        rel, _ = self.rule.tolerance(self.double)
        finite = expected[np.isfinite(expected)]
        size = np.sqrt(np.mean(finite**2)) if finite.size else 0.0
        near = rel * (abs(expected) + size) + self._options.atol
        is_near = (abs(actual - expected) <= near) | (actual == expected)
        wrong = ~(is_near | np.isnan(expected))  # a NaN demands nothing
        if wrong.any():
            low, high = self._around(upstream, k)
            near = near + rel * np.maximum(abs(low), abs(high))
            inside = (low - near <= actual) & (actual <= high + near) & (low < high)
            self.rule.result.kinks += int((wrong & inside).any())
            wrong &= ~inside
        return wrong

    def _around(self, upstream: list, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest and the largest right gradients close by."""
        moving, rows = self._function.moving, []
        for _ in range(AROUND):
            here = [self.point[i] for i in moving]
            near = [each + CLOSE * normal(self.rule.rng, each) for each in here]
            right = self._declared(moved_to(self.point, moving, near), upstream)
            rows.append(flat([right[k]]))
        return np.min(rows, 0), np.max(rows, 0)

    def _meant(self, upstream: list, point: Arrays, double: bool) -> list:
        """Return what the right gradient uses instead of the upstream gradients."""
        if not (means := self._options.means):
            return upstream
        tensors = self._function.tensors(point, double)
        inputs = self._function.packed(tensors)
        return [tf.convert_to_tensor(means(each, *inputs)) for each in upstream]

    def _declared(self, point: Arrays, upstream: list) -> Arrays:
        """Return the gradients of ``like`` or ``vjp``, in float64 if possible."""
        function = self._function
        double = self.double or self.rule.double
        upstream = self._meant(upstream, point, double)
        tensors = function.tensors(point, double)
        if double:
            upstream = [tf.cast(each, wide(each.dtype)) for each in upstream]
        if self._options.like:
            gradients = self._of_like(self._options.like, tensors, upstream)
        elif self._options.vjp:
            gradients = self._of_vjp(self._options.vjp, tensors, upstream)
        sources = [tensors[i] for i in function.moving]
        try:
            return as_arrays(gradients, sources[: len(gradients)], self.rule.names)
        except GradientError as error:
            raise Misdeclared(f"of like or vjp, {error}") from error

    def _of_like(self, like: Callable, tensors: list, upstream: list) -> list:
        sources = [tensors[i] for i in self._function.moving]
        with tf.GradientTape() as tape, demanded("like"):
            tape.watch(sources)
            outputs = self._function.run(like, tensors)
        shapes, needed = ([[*e.shape] for e in part] for part in (outputs, upstream))
        if shapes != needed:
            raise Misdeclared(f"like has outputs of the shapes {shapes}, f of {needed}")
        return tape.gradient(outputs, sources, upstream)

    def _of_vjp(self, vjp: Callable, tensors: list, upstream: list) -> list:
        inputs, count = self._function.packed(tensors), len(self._function.inputs)
        result = vjp(upstream[0] if len(upstream) == 1 else upstream, *inputs)
        gradients = tf.nest.flatten(result)
        moving = [i for i in self._function.moving if i < count]
        if len(gradients) == count:
            return [gradients[i] for i in moving]
        if len(gradients) != len(moving):
            raise Misdeclared(f"vjp returns {len(gradients)} gradients")
        return gradients


@contextlib.contextmanager
def at_arguments(
    f: Callable, args: tuple, options: Options, each_number: int = AT_MOST
) -> Iterator[PointCheck]:
    """Check a custom gradient at its arguments, and nowhere else."""
    call, rng = call_of(f, f, args, {}), np.random.default_rng(0)
    rule = Rule(call, options, Result(), rng, far=False)
    with contextlib.closing(rule):
        yield PointCheck(rule, rule.here, rule.double, each_number)
