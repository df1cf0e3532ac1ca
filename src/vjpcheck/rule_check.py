"""Whether a rule holds: which points, shapes and modes it is put to."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle

import numpy as np
import tensorflow as tf

from . import points
from .compare import Comparison, Report, as_text, demanded
from .declared import Declared
from .directions import Wrong
from .function import (
    REFUSALS,
    Function,
    Misdeclared,
    Point,
    Refused,
    describe,
    flat,
    leaf_of,
    unflat,
    wide,
)
from .slopes import pair, scaled_slope

FEWEST = 5
"""Points that a declaration must leave, of those that are drawn."""
TWO = "with another call between its passes", "alone (it depends on the order of calls)"
REPEATED = 6
"""Calls of a forward pass that give the same only if it draws nothing."""


class RuleCheck:
    """One call of a rule, to be repeated elsewhere.

    Raises Wrong, in whichever method, when the rule does not hold.
    """

    def __init__(
        self,
        function: Function,
        declared: Declared,
        report: Report,
        rng: np.random.Generator,
        nested: bool,
        first: bool,
        far: bool,
    ) -> None:
        self._nested = nested
        self._first = first
        self._far = far
        self._function = function
        self._eager_only = declared.eager_only
        self._once = declared.once
        self._report = report
        self._rng = rng
        self._domain = points.Domain(function, declared, rng)
        self._here = self._start()
        self._find_variables()
        if not function.moving:
            raise Wrong("no input can have a gradient")
        reference = (
            function.instead(declared.surrogate) if declared.surrogate else function
        )
        self._find_precisions(reference)
        self._sides = points.sides(function, rng)
        self._comparison = Comparison(
            function,
            reference,
            declared,
            self._domain,
            report,
            rng,
            self._sides,
        )

    def _start(self) -> Point:
        """Return the point of the program's call, or a random one for a graph."""
        if points.fill(self._function, self._rng):
            start = self._domain.draw(
                points.FAR, self._function.widened(), double=False
            )
            return start or self._function.widened()
        start = [
            np.where(np.isfinite(array), array, points.normal(self._rng, array))
            if each.moves
            else array
            for each, array in zip(self._function.leaves, self._function.widened())
        ]
        if not self._domain.made and not self._domain.promised(start):
            raise Wrong("the inputs of the call are not as declared")
        return start

    def _find_variables(self) -> None:
        """Treat variables that the forward pass reads as inputs, and find out if it
        draws random numbers."""
        tensors = self._function.tensors(self._domain.point(self._here), double=False)
        with tf.GradientTape() as tape, demanded():
            values = flat(self._function.outputs(tensors))
        repeated = [flat(self._function.outputs(tensors)) for _ in range(REPEATED)]
        self._function.noisy = not all(
            np.array_equal(values, each, equal_nan=True) for each in repeated
        )
        self._function.leaves += map(leaf_of, tape.watched_variables())
        self._here = [*self._here, *self._function.widened()[len(self._here) :]]

    def _find_precisions(self, reference: Function) -> None:
        """Find out what can be computed in float64."""
        function = self._function
        tensors = function.tensors(self._domain.point(self._here), double=True)
        # A narrow variable moves by steps of its own, whatever comes out.
        wide_inputs = all(
            function.leaves[i].variable is None
            or function.leaves[i].dtype == wide(function.leaves[i].dtype)
            for i in function.moving
        )
        self._double = wide_inputs and runs_widely(lambda: self._both_passes(tensors))
        for part in (function, reference):
            part.in_double = wide_inputs and runs_widely(partial(part.outputs, tensors))

    def _both_passes(self, tensors: list) -> list:
        outputs, rule = self._function.recorded(tensors)
        return outputs + rule([tf.ones_like(each) for each in outputs])

    def close(self) -> None:
        self._function.restore()

    def run(self) -> None:
        self._points()
        if self._first:
            self._graph()
        if not self._once:
            self._second()
        if self._far and not self._function.has_composites:
            self._shapes()
        if self._first:
            self._in_turns()

    def _ways(self) -> list[tuple]:
        """Return ways to draw inputs: near the call, elsewhere, where rules break."""
        near, far = [(way,) for way in points.NEAR], points.FAR
        if not self._first:
            return near
        if not self._far:
            return [*near, *near]
        numbers = sum(np.size(self._here[i]) for i in self._function.moving)
        turns = -(-len(self._sides) // max(numbers, 2))
        beside = (points.beside(cycle(self._sides)),)
        return [
            *near,
            *((way, *far) for way in far),
            *((way,) for way in points.EXTREME),
            *[beside] * turns,
        ]

    def _points(self) -> None:
        """Check the point of the program's call, points near it, and elsewhere."""
        points_drawn = [
            self._domain.draw(ways, self._here, self._double) for ways in self._ways()
        ]
        places = [each for each in points_drawn if each]
        if len(places) < min(FEWEST, len(points_drawn) // 2):
            raise Wrong(
                "the forward pass is finite and the declared condition true at too few"
                " points; declare how valid inputs are made (NAME = …)"
            )
        self._domain.demand_varied(places)
        if self._domain.holds(self._domain.point(self._here), self._double):
            places.insert(0, self._here)
        for n, place in enumerate(places):
            self._comparison.demand(place, self._double, thorough=not n and self._first)
            self._report.points += 1
        if self._double and any(
            self._function.leaves[i].dtype != wide(self._function.leaves[i].dtype)
            for i in self._function.moving
        ):
            for place in places:
                self._comparison.narrow(place)

    def _shapes(self) -> None:
        """Other shapes, if the forward pass accepts them."""
        for point in self._other_shapes():
            try:
                self._comparison.demand(point, self._double)
            except Wrong as wrong:
                raise Wrong(
                    f"{wrong}; the forward pass accepts this shape: fix the gradient"
                    " function, or declare the shapes that it is for"
                ) from wrong
            self._report.shapes += 1

    def _other_shapes(self) -> Iterator[Point]:
        near, far = (points.NEAR[0],), points.FAR[:2]
        mixed = (points.mixed(cycle(self._sides or [1.0])),)
        like_these = points.other_shapes(self._function, self._here)
        for like, ways in zip(like_these, cycle([near + far, mixed + near + far])):
            if point := self._domain.draw(ways, like, self._double):
                yield point

    def _graph(self) -> None:
        """The same numbers inside ``tf.function``."""
        if self._function.keywords:
            return  # not allowed in a graph, whatever the rule
        tensors = self._function.tensors(self._domain.point(self._here), double=False)
        upstream = self._comparison.upstream(tensors)
        eager = self._comparison.downstream(tensors, upstream)
        try:
            gradients = self._function.in_graph(tensors, upstream)
        except Exception as error:
            if self._eager_only:
                return
            raise Wrong(f"inside tf.function it raises {describe(error)}") from error
        if self._eager_only:
            raise Wrong("declared 'eager only', but it runs inside tf.function")
        if not self._function.noisy:
            self._demand_equal(
                gradients, eager, tensors, "inside tf.function", "eagerly"
            )
        self._report.graph = True

    def _in_turns(self) -> None:
        """The same numbers where another call lies between the two passes of one: a
        rule that keeps something outside takes it for its own."""
        if self._function.noisy:
            return
        neighbors = [self._domain.draw(points.NEAR, self._here, self._double)]
        if self._far and not self._function.has_composites:
            neighbors.append(next(self._other_shapes(), None))
        fixed = len(self._function.inputs)  # variables have one value for both
        for neighbor in filter(None, neighbors):
            calls = [
                self._tensors_and_upstream(
                    self._domain.point([*its[:fixed], *self._here[fixed:]])
                )
                for its in (self._here, neighbor)
            ]
            alone = [self._comparison.downstream(*call) for call in calls]
            for forward, back in ((0, 1), (0, 1)), ((0, 1), (1, 0)), ((1, 0), (1, 0)):
                backward = {i: self._function.recorded(calls[i][0])[1] for i in forward}
                for i in back:
                    tensors, upstream = calls[i]
                    try:
                        gradients = backward[i](upstream)
                    except Exception as error:
                        raise Wrong(
                            f"of two calls it raises {describe(error)}"
                        ) from error
                    self._demand_equal(gradients, alone[i], tensors, *TWO)

    def _tensors_and_upstream(self, point: Point) -> tuple[list, list]:
        """Tensors for a call, and a random upstream."""
        tensors = self._function.tensors(point, self._double)
        return tensors, self._comparison.upstream(tensors)

    def _demand_equal(
        self,
        gradients: list,
        expected: np.ndarray,
        tensors: list,
        context: str,
        reference: str,
    ) -> None:
        row = self._comparison.row(gradients, tensors)
        near = self._comparison.tolerance(double=False)
        if not np.allclose(row, expected, *near, equal_nan=True):
            raise Wrong(
                f"{self._comparison.place(tensors)}: {context} the gradient is"
                f" {as_text([row])}, but {reference} {as_text([expected])}"
            )

    def _second(self) -> None:
        """The gradient of the rule itself, by the inputs and by upstream: demanded if
        the program takes it, else right where there is one."""
        places: list[Point | None] = [self._here]
        if self._nested or self._first:
            places.append(self._domain.draw(points.NEAR, self._here, self._double))
        for start in filter(None, places):
            point = self._domain.point(start)
            if self._domain.holds(point, self._double):
                self._report.second += self._second_at(point)

    def _second_at(self, point: Point) -> bool:
        """Compare the second gradient at a point, and return whether there is one."""
        function, comparison = self._function, self._comparison
        tensors, upstream = self._tensors_and_upstream(point)
        sources = [tensors[i] for i in function.moving]
        weights = [comparison.random(tf.convert_to_tensor(each)) for each in sources]
        gradients = self._second_gradients(tensors, upstream, weights)
        if gradients is None:
            return False
        like = [np.asarray(each) for each in (*sources, *upstream)]
        zeros = [np.zeros_like(array) for array in like]
        # None beside a number is taken for zero, where rules are composed.
        parts = [
            zero if gradient is None else tf.convert_to_tensor(gradient)
            for gradient, zero in zip(gradients, zeros)
        ]
        free = [*map(self._is_free, function.moving), *[True] * len(upstream)]
        claimed = [np.full_like(array, moves) for array, moves in zip(zeros, free)]
        first = partial(self._first_gradient, point, like, upstream)
        numbers, downstream = flat(like), flat(parts)
        center = first(numbers)
        rel, noise = comparison.tolerance(self._double)
        for part in (slice(len(sources)), slice(len(sources), None)):
            rows = list(zeros)
            rows[part] = [points.normal(self._rng, each) for each in zeros[part]]
            direction = flat([row * each for row, each in zip(rows, claimed)])
            along = scaled_slope(first, center, numbers, direction, self._double)
            actual = np.where(direction, downstream, 0)
            pairing = pair(flat(weights), along, actual, direction, 10 * rel, noise)
            if pairing.verdict == "wrong":
                raise Wrong(
                    f"{comparison.place(tensors)} with upstream = {as_text(upstream)}:"
                    " the second derivative along some direction is"
                    f" {pairing.actual:.6g}, but {pairing.expected} is right"
                )
        return True

    def _second_gradients(
        self, tensors: list, upstream: list, weights: list
    ) -> list | None:
        """Return the second gradients, or None if there need be none and is none."""
        try:
            gradients = self._function.second(tensors, upstream, weights)
        except Exception as error:
            if not self._nested:
                return None
            raise Wrong(f"the second derivative raises {describe(error)}") from error
        is_none = all(each is None for each in gradients)
        return None if is_none and not self._nested else gradients

    def _is_free(self, i: int) -> bool:
        """Return whether an input can be moved alone: one that is made of others
        can't."""
        is_fixed = self._function.leaves[i].name in self._domain.fixed
        return (self._nested or not self._domain.made) and not is_fixed

    def _first_gradient(
        self, point: Point, like: list, upstream: list, row: np.ndarray
    ) -> np.ndarray:
        """Return the gradient at other inputs and upstream gradients, in a row."""
        arrays = unflat(row, like)
        moved = list(point)
        for i, array in zip(self._function.moving, arrays):
            moved[i] = array
        tensors = self._function.tensors(moved, self._double)
        ups = [
            tf.cast(array, each.dtype)
            for array, each in zip(arrays[len(arrays) - len(upstream) :], upstream)
        ]
        return self._comparison.downstream(tensors, ups)


def runs_widely(run: Callable[[], list]) -> bool:
    """Return whether float64 goes in and comes out."""
    try:
        dtypes = [tf.as_dtype(each.dtype) for each in run() if each is not None]
        return all(each == wide(each) for each in dtypes)
    except (Refused, Misdeclared, RuntimeError, *REFUSALS):
        return False
