"""Whether a rule holds: which points, shapes and modes it is put to."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle

import numpy as np
import tensorflow as tf

from . import points
from .compare import Comparison, Report, demanded, shown
from .declared import Declared
from .directions import Wrong
from .function import (
    REFUSALS,
    Function,
    Misdeclared,
    Point,
    Refused,
    flat,
    leaf_of,
    said,
    unflat,
    wide,
)
from .slopes import pair, scaled_slope

FEWEST = 5
"""Points that a declaration must leave, of those that are drawn."""
TWO = "with another call between its passes", "alone (it depends on the order of calls)"
REPEATED = 6
"""Calls of a forward pass that give the same only if it draws nothing."""


class Judge:
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
        tensors = function.tensors(self._domain.point(self._here), double=True)
        # A narrow variable moves by steps of its own, whatever comes out.
        wide_inputs = all(
            function.leaves[i].variable is None
            or function.leaves[i].dtype == wide(function.leaves[i].dtype)
            for i in function.moving
        )
        self._double = wide_inputs and runs_widely(lambda: self._both_passes(tensors))
        for each in (function, reference):
            each.in_double = wide_inputs and runs_widely(partial(each.outputs, tensors))
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
        """Where the program called; drawn, where only its graph knows."""
        if points.fill(self._function, self._rng):
            here = self._domain.draw(points.FAR, self._function.widened(), double=False)
            return here or self._function.widened()
        here = [
            np.where(np.isfinite(array), array, points.normal(self._rng, array))
            if each.moves
            else array
            for each, array in zip(self._function.leaves, self._function.widened())
        ]
        if not self._domain.made and not self._domain.promised(here):
            raise Wrong("the inputs of the call are not as declared")
        return here

    def _find_variables(self) -> None:
        """What the forward pass reads beside its inputs is an input, too; whether
        it draws random numbers."""
        tensors = self._function.tensors(self._domain.point(self._here), double=False)
        with tf.GradientTape() as tape, demanded():
            values = flat(self._function.outputs(tensors))
        again = [flat(self._function.outputs(tensors)) for _ in range(REPEATED)]
        self._function.noisy = not all(
            np.array_equal(values, each, equal_nan=True) for each in again
        )
        self._function.leaves += map(leaf_of, tape.watched_variables())
        self._here = [*self._here, *self._function.widened()[len(self._here) :]]

    def _both_passes(self, tensors: list) -> list:
        outputs, rule = self._function.recorded(tensors)
        return outputs + rule([tf.ones_like(each) for each in outputs])

    def close(self) -> None:
        self._function.restore()

    def all(self) -> None:
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
        """How inputs are drawn: near the call, elsewhere, and where rules break."""
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
        """Where the program called, near it, and elsewhere."""
        drawn = [
            self._domain.draw(ways, self._here, self._double) for ways in self._ways()
        ]
        places = [each for each in drawn if each]
        if len(places) < min(FEWEST, len(drawn) // 2):
            raise Wrong(
                "the forward pass is finite and the declared condition true at too few"
                " points; declare how valid inputs are made (NAME = …)"
            )
        self._domain.demand_varied(places)
        if self._domain.holds(self._domain.point(self._here), self._double):
            places.insert(0, self._here)
        for n, place in enumerate(places):
            self._comparison.at(place, self._double, thorough=not n and self._first)
            self._report.points += 1
        if self._double and any(
            self._function.leaves[i].dtype != wide(self._function.leaves[i].dtype)
            for i in self._function.moving
        ):
            for place in places:
                self._comparison.narrow(place)

    def _shapes(self) -> None:
        """Other shapes, if the forward pass accepts them."""
        for drawn in self._other_shapes():
            try:
                self._comparison.at(drawn, self._double)
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
            if drawn := self._domain.draw(ways, like, self._double):
                yield drawn

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
            raise Wrong(f"inside tf.function it raises {said(error)}") from error
        if self._eager_only:
            raise Wrong("declared 'eager only', but it runs inside tf.function")
        if not self._function.noisy:
            self._same(gradients, eager, tensors, "inside tf.function", "eagerly")
        self._report.graph = True

    def _in_turns(self) -> None:
        """The same numbers where another call lies between the two passes of one: a
        rule that keeps something outside takes it for its own."""
        if self._function.noisy:
            return
        others = [self._domain.draw(points.NEAR, self._here, self._double)]
        if self._far and not self._function.has_composites:
            others.append(next(self._other_shapes(), None))
        fixed = len(self._function.inputs)  # variables have one value for both
        for other in filter(None, others):
            calls = [
                self._asked(self._domain.point([*its[:fixed], *self._here[fixed:]]))
                for its in (self._here, other)
            ]
            alone = [self._comparison.downstream(*call) for call in calls]
            for forward, back in ((0, 1), (0, 1)), ((0, 1), (1, 0)), ((1, 0), (1, 0)):
                made = {i: self._function.recorded(calls[i][0])[1] for i in forward}
                for i in back:
                    tensors, upstream = calls[i]
                    try:
                        gradients = made[i](upstream)
                    except Exception as error:
                        raise Wrong(f"of two calls it raises {said(error)}") from error
                    self._same(gradients, alone[i], tensors, *TWO)

    def _asked(self, point: Point) -> tuple[list, list]:
        """Tensors for a call, and a random upstream."""
        tensors = self._function.tensors(point, self._double)
        return tensors, self._comparison.upstream(tensors)

    def _same(
        self, gradients: list, other: np.ndarray, tensors: list, here: str, there: str
    ) -> None:
        row = self._comparison.row(gradients, tensors)
        near = self._comparison.tolerance(double=False)
        if not np.allclose(row, other, *near, equal_nan=True):
            raise Wrong(
                f"{self._comparison.place(tensors)}: {here} the gradient is"
                f" {shown([row])}, but {there} {shown([other])}"
            )

    def _second(self) -> None:
        """The gradient of the rule itself, by the inputs and by upstream: demanded if
        the program takes it, else right where there is one."""
        places: list[Point | None] = [self._here]
        if self._nested or self._first:
            places.append(self._domain.draw(points.NEAR, self._here, self._double))
        for drawn in filter(None, places):
            point = self._domain.point(drawn)
            if self._domain.holds(point, self._double):
                self._report.second += self._second_at(point)

    def _second_at(self, point: Point) -> bool:
        """Whether there is one."""
        function = self._function
        tensors, upstream = self._asked(point)
        sources = [tensors[i] for i in function.moving]
        weights = [
            self._comparison.random(tf.convert_to_tensor(each)) for each in sources
        ]
        try:
            found = function.second(tensors, upstream, weights)
        except Exception as error:
            if not self._nested:
                return False
            raise Wrong(f"the second derivative raises {said(error)}") from error
        if not self._nested and all(each is None for each in found):
            return False
        like = [np.asarray(each) for each in (*sources, *upstream)]
        zeros = [np.zeros_like(array) for array in like]
        downstream = flat(
            [
                other if each is None else tf.convert_to_tensor(each)
                for each, other in zip(found, zeros)
            ]
        )
        # None beside a number is taken for zero, where rules are composed. What is
        # made of others cannot be moved by itself.
        free = [
            (self._nested or not self._domain.made)
            and function.leaves[i].name not in self._domain.fixed
            for i in function.moving
        ]
        claimed = [
            np.full_like(array, moves)
            for array, moves in zip(zeros, [*free, *[True] * len(upstream)])
        ]

        def first(row: np.ndarray) -> np.ndarray:
            arrays = unflat(row, like)
            moved = list(point)
            for i, array in zip(function.moving, arrays):
                moved[i] = array
            its = function.tensors(moved, self._double)
            ups = [
                tf.cast(array, each.dtype)
                for array, each in zip(arrays[len(sources) :], upstream)
            ]
            return self._comparison.downstream(its, ups)

        at = flat(like)
        center = first(at)
        rel, noise = self._comparison.tolerance(self._double)
        for part in (slice(len(sources)), slice(len(sources), None)):
            rows = list(zeros)
            rows[part] = [points.normal(self._rng, each) for each in zeros[part]]
            direction = flat([row * each for row, each in zip(rows, claimed)])
            along = scaled_slope(first, center, at, direction, self._double)
            got = np.where(direction, downstream, 0)
            pairing = pair(flat(weights), along, got, direction, 10 * rel, noise)
            if pairing.verdict == "wrong":
                raise Wrong(
                    f"{self._comparison.place(tensors)} with upstream ="
                    f" {shown(upstream)}: the second derivative along some"
                    f" direction is {pairing.got:.6g}, but {pairing.expected} is right"
                )
        return True


def runs_widely(run: Callable[[], list]) -> bool:
    """Whether float64 goes in and comes out."""
    try:
        dtypes = [tf.as_dtype(each.dtype) for each in run() if each is not None]
        return all(each == wide(each) for each in dtypes)
    except (Refused, Misdeclared, RuntimeError, *REFUSALS):
        return False
